#!/bin/sh
# Computes the studies of docs/charts.md and draws them: docs/charts/draw.sh [FOLDER], from the root of the repository.
# APPELL names another program, such as target/release/appell. What is there is not computed again.
set -eu
appell=${APPELL:-appell}
studies=${1:-target/charts}
here=docs/charts

draw() { # NAME MODEL, then what appell chart takes
    name=$1 model=$2
    shift 2
    "$appell" sweep "$model" --design "$here/$name.toml" -o "$studies/$name" -q
    "$appell" chart "$studies/$name" "$@" -o "$here/$name.svg" -o "$studies/$name.png"
}

draw rattleback zoo/rattleback.toml --x "gamma'(0)" --y Ixy --colour turn \
    --title "When a rattleback turns round" --x-label "spin at the start in rad/s" \
    --y-label "product of inertia in kg m^2" --colour-label "time until the spin is 0, in s"
draw bicycle zoo/bicycle.toml --x vx --y "phi'(0)" --colour fate \
    --title "A bicycle that is pushed aside" --x-label "speed in m/s" --y-label "roll rate at the start in rad/s"
draw chaplygin "$here/chaplygin-ball.toml" --section cut --x turn --y k3 --colour s \
    --title "Chaplygin's ball: a section" --x-label "where the momentum stands about the third axis, in rad" \
    --y-label "cosine of its angle with the third axis" --colour-label "lean at the start, in rad"
draw rolling-disc zoo/rolling-disc.toml --x "phi'(0)" --y "theta(0)" --colour lowest \
    --title "How low a rolling disc sinks" --x-label "spin at the start in rad/s" \
    --y-label "lean at the start in rad" --colour-label "least height of its centre in m"
draw appell-hamel "$here/appell-hamel-leaning.toml" --x x --y y --colour t \
    --title "Where the point of Appell and Hamel comes to rest" --x-label "x in m, down the table" \
    --y-label "y in m" --colour-label "time to the vertex of the cone, in s"
