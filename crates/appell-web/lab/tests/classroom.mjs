// Exercises, nudges and comparisons: what a class does with the lab.

import { PATIENCE } from "../../../appell-report/web/tests/browser.mjs";

const ready = (page) => page.waitForFunction(() => document.body.dataset.state === "ready", { timeout: PATIENCE });

/** Waits for the verdict on what was answered. */
async function verdict(page) {
  await page.waitForFunction(() => document.querySelector("#exercise .verdict")?.dataset.verdict !== undefined && !/Checking/.test(document.querySelector("#exercise .verdict").textContent), { timeout: PATIENCE });
  return page.$eval("#exercise .verdict", (own) => [own.dataset.verdict, own.textContent]);
}

async function answer(page, text) {
  await page.evaluate((text) => {
    const input = document.querySelector("#exercise form input");
    input.value = text;
    input.dispatchEvent(new Event("input"));
    delete document.querySelector("#exercise .verdict").dataset.verdict;
    document.querySelector("#exercise form").requestSubmit();
  }, text);
  return verdict(page);
}

/** Wrong, empty and right answers; the end of an exercise; its text with a fault in it, by link, and in a frame. */
export async function exercises(open, must) {
  const page = await open("#exercise/skate");
  await ready(page);
  const model = await page.evaluate(() => window.appell.text());
  must(!model.includes("[claims]") && model.includes("blade"), "the model of an exercise tells its claims");
  for (const [said, expected, word] of [["theta'", "right", "Right"], ["x'", "wrong", "rate is"], ["7", "trivial", "known already"], ["theta' +", "unread", "read"], ["2*(T + V)", "trivial", ""]]) {
    const [found, text] = await answer(page, said);
    must(found === expected && text.includes(word), `${said} is ${expected}, not: ${found}, ${text}`);
  }
  await answer(page, "theta'");
  must((await page.$("#exercise .dot.done")) !== null, "a step that is done is not marked");
  await page.click("#exercise .next");
  must((await page.$eval("#exercise .ask", (own) => own.textContent)).includes("z1"), "the second step does not follow");
  // An address brings it back.
  await page.click("#share");
  await page.waitForFunction(() => /copied|holds/.test(document.getElementById("status").textContent), { timeout: PATIENCE });
  must((await page.evaluate(() => location.hash)) === "#exercise/skate", "an exercise has no address");
  await page.evaluate(() => [...document.querySelectorAll("#exercise button")].find((own) => own.textContent === "Edit").click());
  await ready(page);
  const own = await page.evaluate(() => window.appell.text());
  must(own.startsWith("exercise = 1"), "the text of an exercise is not shown to its writer");
  await page.evaluate((text) => window.appell.open(text), own.replace("claim = ", "clam = "));
  await page.waitForFunction(() => /exercise has/.test(document.getElementById("status").textContent), { timeout: PATIENCE });
  const problems = await page.$eval("#problems", (own) => own.textContent);
  must(/line \d+: .*clam/.test(problems), `a fault of an exercise has no place: ${problems}`);
  const marked = await page.evaluate(() => document.querySelector("#editor").shadowRoot.querySelectorAll(".cm-lintRange-error").length);
  must(marked > 0, "a fault of an exercise is not underlined");
  // Of one's own, by a link.
  const mine = own.replace("Why a skate does not slide down", "Mine <b>own</b>");
  await page.evaluate((text) => window.appell.open(text), mine);
  await ready(page);
  await page.click("#share");
  await page.waitForFunction(() => location.hash.startsWith("#1,"), { timeout: PATIENCE });
  const hash = await page.evaluate(() => location.hash);
  await page.close();
  const linked = await open(hash);
  await ready(linked);
  must((await linked.$eval("#exercise h2", (own) => own.textContent)) === "Mine <b>own</b>", "an exercise does not come with its link");
  await linked.evaluate(() => (location.hash = "gallery/skate"));
  await linked.waitForFunction(() => document.getElementById("exercise").hidden, { timeout: PATIENCE });
  await linked.close();
  const framed = await open("#embed/exercise/servo");
  await ready(framed);
  const seen = await framed.evaluate(() => ["exercise", "editor", "turn"].map((id) => document.getElementById(id).getClientRects().length > 0));
  must(seen.join() === "true,false,false", `an exercise in a frame: ${seen}`);
  await framed.close();
}

const motion = (frame) => frame.evaluate(() => {
  const { clock, nudges } = window.page.data() && { clock: window.page.now(), nudges: window.page.data().nudges ?? [] };
  const { times, plots } = window.page.data();
  return { now: clock, nudges, times, y: plots.map(({ series }) => series.map(({ y }) => y)) };
});

/** What a page says of its motion, and how far the account of the energy is from balance. */
const said = (frame) => frame.evaluate(() => {
  const words = (selector) => [...document.querySelectorAll(selector)].map((own) => own.textContent.trim());
  const { times, plots } = window.page.data();
  const { title, series } = plots.find(({ title }) => title.startsWith("Energy, from"));
  const change = series.find(({ label }) => label === "E - E0").y;
  const works = series.filter(({ label }) => label.startsWith("work of")).map(({ y }) => y);
  const off = change.map((own, i) => Math.abs(own - works.reduce((sum, y) => sum + y[i], 0)));
  return {
    notice: words("header .notice")[0],
    claims: [...document.querySelectorAll("#claims tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent)),
    about: words("#about dd").join("; "),
    works: series.map(({ label }) => label),
    title,
    last: change.at(-1),
    unbalanced: Math.max(...off) / Math.max(...change.map(Math.abs), 1e-12),
    complete: series.every(({ y }) => y.length === times.length),
    looks: new Set(series.map(({ pen }) => pen.join())).size === series.length,
  };
});

/** The words around the plots are of the motion that is shown, and the account of the energy has the nudge in it. */
async function accounts(open, must) {
  const page = await open("#gallery/skate");
  await ready(page);
  const frame = await (await page.$("#page")).contentFrame();
  await frame.waitForSelector(".nudges", { timeout: PATIENCE });
  const before = await said(frame);
  await frame.evaluate(() => window.page.time(2));
  for (const count of [1, 2]) {
    await frame.$eval('[aria-label="Nudge right"]', (own) => own.click());
    await frame.waitForFunction((count) => (window.page.data().nudges ?? []).length === count, { timeout: PATIENCE }, count);
    await frame.evaluate(() => window.page.time(6));
  }
  const after = await said(frame);
  must(/Since the nudge at t = 6(\.0*)?:/.test(after.notice), `it is not said since when: ${after.notice}`);
  must(after.title === before.title && Math.abs(after.last - before.last) > 1e-3, "the energy is told from another start");
  must(after.works.includes("work of nudges") && after.complete && after.looks, `a nudge is no work: ${after.works}`);
  must(after.unbalanced < 1e-6, `the account with nudges misses ${after.unbalanced}`);
  must(after.about !== before.about, "the last state and the steps are those of another motion");
  must(after.claims.some((row, i) => row[3] !== before.claims[i][3]), "claims are told of another motion");
  must(after.claims.length === before.claims.length && after.claims.every((row, i) => row.length === 5 && row[2] === before.claims[i][2] && row[1] === before.claims[i][1]), "a nudge changes what is proved");
  // Another look at the model: its own motion, and what was said of it.
  await page.evaluate(() => window.appell.change(`${document.getElementById("editor") ? "# looked at anew\n" : ""}coordinates = []`));
  await page.waitForFunction(() => document.body.dataset.state === "failed", { timeout: PATIENCE });
  await page.evaluate(() => (location.hash = "gallery/skate"));
  await page.evaluate(() => dispatchEvent(new HashChangeEvent("hashchange")));
  await ready(page);
  await frame.waitForFunction((notice) => document.querySelector("header .notice")?.textContent.trim() === notice, { timeout: PATIENCE }, before.notice);
  const again = await said(frame);
  must(again.about === before.about && again.works.join() === before.works.join(), "what was said of a nudged motion stays");
  await page.close();
}

/** While it plays a point is nudged: before it the motion is as it was, after it another, and the plots say where. */
export async function nudges(open, must) {
  await accounts(open, must);
  const disc = await open("#gallery/rolling-disc");
  await ready(disc);
  const inside = await (await disc.$("#page")).contentFrame();
  await inside.waitForSelector(".nudges", { timeout: PATIENCE });
  await inside.evaluate(() => window.page.time(1.5));
  await inside.$eval('[aria-label="Nudge up"]', (own) => own.click());
  await inside.waitForFunction(() => (window.page.data().nudges ?? []).length === 1, { timeout: PATIENCE });
  const tracks = await inside.evaluate(() => window.page.data().scene.shapes.flatMap(({ at, axes }) => [at, ...(axes ?? [])]).map((own) => own.length / 3 === window.page.data().times.length));
  must(tracks.length > 3 && tracks.every(Boolean), "the pictures of a nudged body have other instants than its plots");
  await disc.close();
  const page = await open("#gallery/perpendicular");
  await ready(page);
  const frame = await (await page.$("#page")).contentFrame();
  await frame.waitForSelector(".nudges", { timeout: PATIENCE });
  const before = await motion(frame);
  await frame.click(".play");
  await frame.waitForFunction(() => window.page.now() > 0.8, { timeout: PATIENCE });
  await frame.$eval('[aria-label="Nudge up"]', (own) => own.click());
  await frame.waitForFunction(() => (window.page.data().nudges ?? []).length === 1, { timeout: PATIENCE });
  must((await frame.$eval(".play", (own) => own.getAttribute("aria-label"))) === "Pause", "the motion does not go on after a nudge");
  const after = await motion(frame);
  const at = after.nudges[0].t;
  const keep = before.times.filter((t) => t < at).length;
  must(keep > 3 && after.times.slice(0, keep).every((t, i) => t === before.times[i]), "the times before a nudge are others");
  const same = before.y.every((plot, i) => plot.every((y, k) => y.length !== before.times.length || y.slice(0, keep).every((x, n) => x === after.y[i][k][n])));
  must(same, "the motion before a nudge has changed");
  must(after.y.some((plot, i) => plot.some((y, k) => Math.abs(y.at(-1) - before.y[i][k].at(-1)) > 1e-3)), "the motion after a nudge is the same");
  must(Math.abs(after.times.at(-1) - before.times.at(-1)) < 1e-9, "a nudged motion ends elsewhere");
  must((await frame.$$("[data-nudge]")).length > 0, "the plots do not say where a nudge was");
  must(/Nudged at t = .*energy/.test(await frame.$eval(".nudged", (own) => own.textContent)), "it is not said what a nudge was");
  // Keys nudge too, and the motion goes on at its end.
  await frame.$eval(".play", (own) => own.click());
  await frame.evaluate(() => window.page.time(6));
  await frame.evaluate(() => document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", shiftKey: true, bubbles: true })));
  await frame.waitForFunction(() => (window.page.data().nudges ?? []).length === 2, { timeout: PATIENCE });
  await frame.$eval(".onward", (own) => own.click());
  await frame.waitForFunction((end) => window.page.data().times.at(-1) > 1.9 * end, { timeout: PATIENCE }, before.times.at(-1));
  const long = await motion(frame);
  must(long.nudges.length === 2 && long.times.every((t, i) => i === 0 || t >= long.times[i - 1]), "a motion that goes on has lost its nudges or its order");
  await page.close();
}

const choose = (page, id) => page.evaluate((id) => {
  const choice = document.getElementById("compare");
  choice.value = id;
  choice.dispatchEvent(new Event("change"));
}, id);

const caption = (page) => page.$eval(".kept .caption", (own) => own.textContent);

/** Side by side: other equations give the same motion, printed wrongly another, and so does a constraint less. */
export async function comparisons(open, must) {
  const page = await open("#gallery/chaplygin-sleigh");
  await ready(page);
  const shows = (said) => page.waitForFunction((said) => new RegExp(said).test(document.querySelector(".kept .caption")?.textContent ?? ""), { timeout: PATIENCE }, said);
  await choose(page, "form:projector");
  await shows("the same motion");
  await choose(page, "misprint");
  await shows("most apart");
  must(/as printed.*apart.*force/.test(await caption(page)), `a misprint is not explained: ${await caption(page)}`);
  await choose(page, "drop:blade");
  await shows("Without blade.*most apart");
  // It follows a slider.
  const times = () => page.evaluate(() => [...document.querySelectorAll("#right iframe")].map((frame) => frame.contentDocument.getElementById("data").textContent));
  const before = await times();
  await page.evaluate(() => {
    const slider = document.querySelector("input[type=range][data-parameter=a]");
    slider.value = String(0.9 * Number(slider.max));
    slider.dispatchEvent(new Event("input"));
  });
  await page.waitForFunction((before) => [...document.querySelectorAll("#right iframe")].every((frame, i) => frame.contentDocument.getElementById("data").textContent !== before[i]), { timeout: PATIENCE }, before);
  await ready(page);
  await choose(page, "");
  must((await page.$(".kept")) === null, "a comparison does not end");
  await page.evaluate(() => (location.hash = "gallery/skate"));
  await page.waitForFunction(() => document.getElementById("page").contentDocument.querySelector("h1")?.textContent.includes("Skate") && document.body.dataset.state === "ready", { timeout: PATIENCE });
  await choose(page, "misprint");
  await shows("the same motion.*vanishes in this model");
  await choose(page, "form:chaplygin");
  await shows("chaplygin|does not apply|the same|Chaplygin");
  await page.close();
}
