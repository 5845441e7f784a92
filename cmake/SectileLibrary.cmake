# SectileLibrary.cmake - builds and installs the libraries, and builds programs that use them.
include(CMakePackageConfigHelpers)

# sectile_add_library(NAME DESCRIPTION text SYMBOLS list SOURCES ... [CORE library] [LIBRARIES ...]
# [FLAGS ...] [LOADING source LINKED source]) makes the targets NAME (shared) and NAME_static from the
# same objects, and NAME.pc. SYMBOLS is the list in src/symbols/ of what it exports. CORE is the Sectile
# library that this one extends. LIBRARIES are the targets that it links to privately; FLAGS are their
# linker flags, for pkg-config --static. With LOADING, the shared library is linked to sectile alone: that
# source loads CORE when it is needed, and in the static library LINKED stands in its place.
function(sectile_add_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESCRIPTION;SYMBOLS;CORE;LOADING;LINKED"
        "SOURCES;LIBRARIES;FLAGS")
    add_library(${name}_objects OBJECT ${arg_SOURCES})
    target_include_directories(${name}_objects
        PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${name}_objects PRIVATE ${arg_LIBRARIES})
    set_target_properties(${name}_objects PROPERTIES
        POSITION_INDEPENDENT_CODE ON
        C_VISIBILITY_PRESET hidden)

    add_library(${name} SHARED $<TARGET_OBJECTS:${name}_objects> ${arg_LOADING})
    sectile_version_symbols(${name} ${PROJECT_SOURCE_DIR}/src/symbols/${arg_SYMBOLS}.txt)
    add_library(${name}_static STATIC $<TARGET_OBJECTS:${name}_objects> ${arg_LINKED})
    foreach(library ${name} ${name}_static)
        add_library(sectile::${library} ALIAS ${library})
        target_include_directories(${library} INTERFACE
            $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
        set_target_properties(${library} PROPERTIES
            LINKER_LANGUAGE C
            OUTPUT_NAME ${name}
            SOVERSION ${sectile_soversion}
            VERSION ${PROJECT_VERSION})
    endforeach()
    target_link_libraries(${name}_static PRIVATE ${arg_LIBRARIES})
    if(arg_LOADING)
        foreach(library ${name} ${name}_static)
            target_include_directories(${library}
                PRIVATE $<TARGET_PROPERTY:${name}_objects,INCLUDE_DIRECTORIES>)
            set_target_properties(${library} PROPERTIES C_VISIBILITY_PRESET hidden)
        endforeach()
        target_link_libraries(${name} PUBLIC sectile INTERFACE ${arg_CORE} PRIVATE ${CMAKE_DL_LIBS})
        add_dependencies(${name} ${arg_CORE})
    else()
        target_link_libraries(${name} PUBLIC ${arg_CORE} PRIVATE ${arg_LIBRARIES})
    endif()
    if(arg_CORE)
        target_link_options(${name} PRIVATE LINKER:--no-undefined)
        # It finds the core beside itself, also where a program preloads it.
        set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN")
        target_link_libraries(${name}_static PUBLIC ${arg_CORE}_static)
        install(TARGETS ${name} EXPORT ${name}Targets)
        install(TARGETS ${name}_static EXPORT ${name}StaticTargets)
    else()
        install(TARGETS ${name} EXPORT SectileTargets)
        install(TARGETS ${name}_static EXPORT SectileStaticTargets)
    endif()

    # Relative paths, so that an installation may be moved.
    set(pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
    file(RELATIVE_PATH pc_prefix ${pc_dir} ${CMAKE_INSTALL_PREFIX})
    file(RELATIVE_PATH pc_include ${pc_dir} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
    list(JOIN arg_FLAGS " " pc_flags)
    set(pc_name ${name})
    set(pc_description "${arg_DESCRIPTION}")
    set(pc_requires "${arg_CORE}")
    configure_file(${PROJECT_SOURCE_DIR}/cmake/library.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# sectile_add_program(FOLDER NAME SOURCE...) makes the program FOLDER/NAME, which links to the shared
# library as a user's program does.
function(sectile_add_program folder name)
    set(target sectile_${folder}_${name})
    add_executable(${target} ${ARGN})
    target_link_libraries(${target} PRIVATE sectile Threads::Threads m)
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
endfunction()

# sectile_add_programs(FOLDER) makes a program of each C file in the folder.
function(sectile_add_programs folder)
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
    foreach(source IN LISTS sources)
        cmake_path(GET source STEM name)
        sectile_add_program(${folder} ${name} ${source})
    endforeach()
endfunction()

# sectile_install_package() installs the public headers and the files that find_package(Sectile)
# needs, for the MPIs listed in sectile_mpis.
function(sectile_install_package)
    set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/Sectile)
    configure_package_config_file(cmake/SectileConfig.cmake.in
        ${PROJECT_BINARY_DIR}/SectileConfig.cmake INSTALL_DESTINATION ${folder})
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/SectileConfigVersion.cmake
        COMPATIBILITY SameMinorVersion)
    install(FILES cmake/SectileFind.cmake cmake/SectileBlas.cmake cmake/SectileJansson.cmake
        cmake/SectileMpi.cmake
        ${PROJECT_BINARY_DIR}/SectileConfig.cmake
        ${PROJECT_BINARY_DIR}/SectileConfigVersion.cmake DESTINATION ${folder})
    install(EXPORT SectileTargets NAMESPACE sectile:: DESTINATION ${folder})
    install(EXPORT SectileStaticTargets NAMESPACE sectile:: DESTINATION ${folder})
    foreach(kind IN LISTS sectile_mpis)
        foreach(set Targets StaticTargets)
            install(EXPORT sectile_mpi_${kind}${set} NAMESPACE sectile:: DESTINATION ${folder})
            install(EXPORT sectile_scalapack_${kind}${set} NAMESPACE sectile:: DESTINATION ${folder})
        endforeach()
    endforeach()
    # A program links to it for sectile_cuda.h only.
    if(TARGET sectile_cuda)
        install(EXPORT sectile_cudaTargets NAMESPACE sectile:: DESTINATION ${folder})
    endif()
    install(DIRECTORY include/sectile DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()
