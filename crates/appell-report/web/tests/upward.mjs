// Which way is up: the same left turn of a box, once with z up, once with z down.

const model = (title, sign) => `
title = "${title}"
coordinates = ["a"]
gravity = "${sign > 0 ? "-" : ""}g*N.z"
[parameters]
g = 9.81
[frames]
B = { parent = "N", angle = "a", axis = "z" }
[bodies.b]
mass = 1
frame = "B"
position = "[cos(a), sin(a), 0]"
inertia = [1, 1, 1]
[initial]
state = ["a = 0", "a' = ${sign}"]
[simulate]
until = 7
[animation]
bodies = [{ shape = "box", body = "b", length = 0.6, width = 0.4, height = 0.3 }]
trail = ["pos(b)"]
`;

/** Models by name, with the sign of the upward axis. */
export const UPWARD = {
  "z-up": { sign: 1, text: model("A left turn, z up", 1) },
  "z-down": { sign: -1, text: model("A left turn, z down", -1) },
};

/** Whether the picture shows what stands above the floor: tops of boxes, left turns as left turns. */
export async function seenFromAbove(page, sign) {
  return page.evaluate(async (sign) => {
    const faults = [];
    const points = (d) => [...d.matchAll(/(-?[\d.]+)[ ,](-?[\d.]+)/g)].map((pair) => [Number(pair[1]), Number(pair[2])]);
    // Twice the area of a polygon on a screen, whose y points down: negative where it turns left.
    const area = (list) => list.reduce((sum, [x, y], i) => {
      const [u, v] = list[(i + 1) % list.length];
      return sum + x * v - u * y;
    }, 0);
    const trail = () => points(document.querySelector(".trail.whole").getAttribute("d"));
    const left = (what, list) => {
      if (!(area(list) < -100)) faults.push(`${what} does not turn left: ${area(list)}`);
    };
    left("the trail", trail());
    const path = [...document.querySelectorAll("figure.plot")].find((plot) => plot.textContent.includes("from above"));
    left("the path from above", points(path.querySelector(".curve").getAttribute("d")));
    // The faces of a box in the order -x, +x, -y, +y, -z, +z of its frame.
    const faces = [...document.querySelectorAll(".shape.box .face")];
    const [top, bottom] = sign > 0 ? [5, 4] : [4, 5];
    if (!faces[top].getAttribute("d")) faults.push("the top of the box is not seen");
    if (faces[bottom].getAttribute("d")) faults.push("the bottom of the box is seen");
    const light = (face) => Number(/(\d+)%/.exec(face.style.fill)?.[1]);
    const sides = faces.filter((face, i) => i < 4 && face.getAttribute("d"));
    if (sides.some((face) => light(face) >= light(faces[top]))) faults.push("a side is lighter than the top");
    // The camera goes to the right: what is near goes to the left. The lowest on the screen is the nearest.
    const before = trail();
    const near = before.reduce((best, [, y], i) => (y > before[best][1] ? i : best), 0);
    document.querySelector(".view").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
    if (!(trail()[near][0] < before[near][0] - 1)) faults.push("the view turns the wrong way");
    return faults;
  }, sign);
}

/** The same of the picture for readers without scripts. */
export async function stillFromAbove(page) {
  return page.evaluate(() => {
    const list = document.querySelector(".still polyline.trail").getAttribute("points").trim().split(" ").map((p) => p.split(",").map(Number));
    const area = list.reduce((sum, [x, y], i) => sum + x * list[(i + 1) % list.length][1] - list[(i + 1) % list.length][0] * y, 0);
    return area < -100 ? [] : ["the trail of the still picture does not turn left"];
  });
}
