# SectileSymbols.cmake - gives the exported symbols of a library their versions.
#
# src/symbols/LIBRARY.txt lists them as `nm -D` prints them: NAME@@VERSION, or NAME alone for one without
# a version. A version is that of the release in which the symbol became public. What only the other
# libraries of Sectile use has the version SECTILE_PRIVATE, to which that of the release is added: libraries
# of two releases refuse to be loaded together.
include(CheckLinkerFlag)

# sectile_version_symbols(LIBRARY LIST)
function(sectile_version_symbols library list)
    set(map ${PROJECT_BINARY_DIR}/symbols/${library}.map)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
    file(STRINGS ${list} symbols REGEX "@@")
    list(TRANSFORM symbols REPLACE "SECTILE_PRIVATE$" "SECTILE_PRIVATE_${PROJECT_VERSION}")
    set(versions ${symbols})
    list(TRANSFORM versions REPLACE "^.*@@" "")
    list(REMOVE_DUPLICATES versions)
    set(text)
    foreach(version IN LISTS versions)
        set(names ${symbols})
        list(FILTER names INCLUDE REGEX "@@${version}$")
        list(TRANSFORM names REPLACE "@@.*" "")
        list(JOIN names ";\n    " names)
        string(APPEND text "${version} {\n    ${names};\n};\n")
    endforeach()
    file(CONFIGURE OUTPUT ${map} CONTENT "${text}" @ONLY)

    set(CMAKE_REQUIRED_LIBRARIES)
    check_linker_flag(C LINKER:--version-script=${map} sectile_has_version_scripts)
    if(sectile_has_version_scripts)
        target_link_options(${library} PRIVATE LINKER:--version-script=${map})
        set_property(TARGET ${library} APPEND PROPERTY LINK_DEPENDS ${map})
    endif()
endfunction()
