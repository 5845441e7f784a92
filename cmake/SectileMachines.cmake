# SectileMachines.cmake - embeds the described machines in the library.

# sectile_embed_machines(SOURCE NAME...) writes, when CMake runs, a C file with each name and the text
# of machines/NAME.json. The texts are arrays of bytes, since C compilers need not accept strings of
# that length.
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
    file(CONFIGURE OUTPUT ${source} CONTENT "/* The files in machines/. */
#include \"machine/embedded.h\"

${texts}
const sct_embedded_machine sct_embedded[] = {
${entries}};
const int sct_embedded_count = ${count};
" @ONLY)
endfunction()
