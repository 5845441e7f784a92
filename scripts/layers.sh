#!/bin/sh
# layers.sh - checks that includes point only where the architecture allows, and names those that do not.
#
# Each row of the table is a folder, what its files may include beside their own folder and the public
# headers, and why.
set -eu
cd "$(dirname "$0")/.."

table='
src/base           |  | status, sizes, types: it knows nothing of distributed matrices
src/layout         | base | index arithmetic, without products, memory or communication
src/machine        | base | describes hardware; of a product it knows types and dimensions alone
src/plan           | base layout machine | the steps of one rank; where they are cut depends on the machine
src/order          | base machine plan | puts the steps of a plan in an order that suits a machine
src/cost           | base layout machine plan | what a plan, or three layouts, take on a machine
src/planner        | base layout machine plan order cost | makes plans: compares costs, has steps ordered
src/sim            | base layout machine plan planner | makes the plans of all ranks, runs them in virtual time
src/choose         | base layout machine plan cost planner sim | costs all candidates, plans the best, simulates the finalists
src/fabric         | base | moves bytes; knows neither layouts nor plans
src/fabric/threads | base fabric | an implementation of the contract
src/fabric/service | base fabric | an implementation by messages, on any wire
src/fabric/sockets | base fabric fabric/service/wire.h | a wire
src/fabric/mpi     | base fabric fabric/service fabric/sockets | shared memory, RMA or the service, on a wire of its own or on sockets
src/device         | base | computes; knows neither fabrics nor plans
src/exec           | base layout plan fabric/fabric.h device/device.h | runs a plan on two contracts, whatever implements them
src/api            | base layout machine plan planner sim choose exec device fabric fabric/threads | the public interface, with the default engine
src/api/mpi        | base device fabric/mpi api | the engine for MPI
cli/values         |  | numbers and elements, without flags or ranks
cli/print          |  | messages, JSON, files of text
cli/args           | values print | turns words into values; runs nothing
cli/ranks          | values print args mpi | starts the ranks that the arguments ask for
cli/mpi            |  | built once for each MPI, and loaded
cli/files          | print ranks | every rank reads and writes its share of a matrix
cli/run            | values print args ranks | runs products on the ranks, checks and times them
cli/draw           | print args ranks | draws plans and results
cli/measure        | values print args ranks run | measures this machine with single products and copies
cli/verbs          | values print args ranks files run draw measure | a verb joins what it needs
cli                | values print args ranks files run | main
bench              |  | programs on the public headers
bench/paper        |  | likewise
bench/peers        |  | likewise
examples           |  | likewise
'

find src cli bench examples -name '*.[ch]' | sort | TABLE=$table xargs awk '
BEGIN {
    rows = split(ENVIRON["TABLE"], row, "\n")
    for (i = 1; i <= rows; i++)
        if (split(row[i], cell, "|") == 3) {
            gsub(/ /, "", cell[1])
            allowed[cell[1]] = cell[2]
        }
}

function is_there(file,    line, found) {
    found = (getline line < file) >= 0
    close(file)
    return found
}

# The innermost folder of the table that holds a path.
function room_of(path) {
    while (path != "" && !(path in allowed))
        if (!sub(/\/[^\/]*$/, "", path))
            return ""
    return path
}

# Where an include of a file is found: paths begin at src/ or cli/, or in the folder of the file.
function found_at(path,    root, folder) {
    root = FILENAME
    sub(/\/.*/, "", root)
    folder = FILENAME
    sub(/[^\/]*$/, "", folder)
    return is_there(root "/" path) ? root "/" path : is_there(folder path) ? folder path : ""
}

function may(room, root, path,    words, count, i) {
    count = split(allowed[room], words, " ")
    for (i = 1; i <= count; i++)
        if (path == root "/" words[i] || room_of(path) == root "/" words[i])
            return 1
    return 0
}

function is_fine(path, quoted,    room, root, found) {
    room = room_of(FILENAME)
    if (room == "" || path ~ /\.\.\//)
        return 0
    if (path ~ /^sectile\//)
        return 1
    found = found_at(path)
    if (found == "")
        return !quoted
    root = room
    sub(/\/.*/, "", root)
    return room_of(found) == room || may(room, root, found)
}

/^[ \t]*#[ \t]*include/ {
    path = $0
    sub(/^[^<"]*[<"]/, "", path)
    sub(/[>"].*/, "", path)
    if (!is_fine(path, $0 ~ /include[ \t]*"/)) {
        print FILENAME ":" FNR ": must not include " path
        bad = 1
    }
}

END { exit bad }
'
