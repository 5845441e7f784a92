# SectileMpi.cmake - finds one MPI, among several that may be installed. The build and the installed
# package both use it. A third MPI begins here.

# sectile_find_mpi(KIND), with KIND openmpi or mpich, makes the target sectile::mpi_KIND if that MPI
# is found, and sets, in the caller's scope, sectile_mpi_flags to the linker flags and
# sectile_mpi_launcher to its mpiexec. Set SECTILE_MPICC_OPENMPI or SECTILE_MPICC_MPICH to select
# the compiler wrapper.
function(sectile_find_mpi kind)
    string(TOUPPER ${kind} upper)
    set(macro_openmpi OMPI_MAJOR_VERSION)
    set(macro_mpich MPICH_NUMVERSION)
    # The first folder of PATH counts, be it one of Spack or conda. Plain mpicc belongs to the MPI that is the
    # default there: its macros tell which.
    find_program(SECTILE_MPICC_${upper} NAMES mpicc.${kind} mpicc NAMES_PER_DIR)
    set(mpicc ${SECTILE_MPICC_${upper}})
    set(probe ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/sectile_mpi.c)
    file(WRITE ${probe} "#include <mpi.h>\n")
    execute_process(COMMAND ${mpicc} -dM -E ${probe} OUTPUT_VARIABLE macros ERROR_QUIET)
    if(NOT macros MATCHES "#define ${macro_${kind}} ")
        return()
    endif()

    execute_process(COMMAND ${mpicc} -show OUTPUT_VARIABLE shown OUTPUT_STRIP_TRAILING_WHITESPACE)
    separate_arguments(shown UNIX_COMMAND "${shown}")
    list(REMOVE_AT shown 0)
    set(include ${shown})
    list(FILTER include INCLUDE REGEX "^-I")
    list(TRANSFORM include REPLACE "^-I" "")
    list(FILTER shown EXCLUDE REGEX "^-I")
    add_library(sectile::mpi_${kind} INTERFACE IMPORTED)
    target_include_directories(sectile::mpi_${kind} SYSTEM INTERFACE ${include})
    target_link_libraries(sectile::mpi_${kind} INTERFACE ${shown})
    set(sectile_mpi_flags ${shown} PARENT_SCOPE)

    cmake_path(GET mpicc PARENT_PATH folder)
    cmake_path(GET mpicc FILENAME name)
    string(REPLACE mpicc mpiexec name ${name})
    find_program(SECTILE_MPIEXEC_${upper} NAMES ${name} HINTS ${folder})
    set(sectile_mpi_launcher ${SECTILE_MPIEXEC_${upper}} PARENT_SCOPE)
endfunction()
