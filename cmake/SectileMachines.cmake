# SectileMachines.cmake - the described machines that come with the library are part of it.

# sectile_embed_machines(SOURCE NAME...) writes, when CMake runs, a C file with the names and texts
# of machines/NAME.json, as bytes: compilers need not take long strings.
function(sectile_embed_machines source)
    set(texts)
    set(entries)
    foreach(name IN LISTS ARGN)
        set(file ${PROJECT_SOURCE_DIR}/machines/${name}.json)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        file(READ ${file} bytes HEX)
        string(REGEX REPLACE "(..)" "0x\\1," bytes ${bytes})
        string(REGEX REPLACE "(....................................................................................................)" "\\1\n    " bytes ${bytes})
        string(APPEND texts "static const char ${name}[] = {\n    ${bytes}0};\n")
        string(APPEND entries "    {\"${name}\", ${name}},\n")
    endforeach()
    list(LENGTH ARGN count)
    file(CONFIGURE OUTPUT ${source} CONTENT "/* The files of machines/. */
#include \"machine/embedded.h\"

${texts}
const sct_embedded_machine sct_embedded[] = {
${entries}};
const int sct_embedded_count = ${count};
" @ONLY)
endfunction()
