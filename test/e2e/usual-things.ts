/** Twenty-two things that people do with Playwright; each throws when it does not come out as it should. */
export const usualThings = (site: string): string => `
const check = (name, is, wanted) => {
  const [a, b] = [is, wanted].map((value) => JSON.stringify(value));
  if (a !== b) throw new Error(name + ": " + a + " is not " + b);
  console.log("ok " + name);
};
const site = ${JSON.stringify(site)};
const go = (path) => page.goto(site + path);
check("navigation", (await go("/final")).status(), 200);
check("title", await page.title(), "The end of the road");
await go("/login");
await page.getByLabel("Name").fill("halloran");
await page.getByLabel("Password").fill("seven-fathoms");
await page.getByRole("button", { name: "Sign in" }).click();
await page.waitForURL("**/account");
check("login form", (await page.getByRole("heading").first().textContent()).includes("halloran"), true);
check("cookies", (await context.cookies(site)).some(({ value }) => value === "berth-17"), true);
await go("/articles/"); await go("/docs/"); await page.goBack();
check("back", page.url(), site + "/articles/");
await page.goForward();
check("forward", page.url(), site + "/docs/");
await go("/app/controls");
await page.locator("#lamp").check();
await page.locator("#buoy").selectOption("green");
await page.locator("#hover").hover();
check("hover", await page.locator("#hover").textContent(), "Hovered");
const state = await page.locator("#state").textContent();
check("check and select", ["lamp on", "buoy green"].every((line) => state.includes(line)), true);
await page.locator("#chart").setInputFiles({ name: "bay.txt", mimeType: "text/plain", buffer: Buffer.from("soundings") });
check("file upload", await page.locator("#chart").evaluate((input) => input.files[0].text()), "soundings");
const asked = [];
const answer = async (dialog) => { asked.push(dialog.type()); await dialog.accept("open sesame"); };
page.on("dialog", answer);
await go("/app/dialogs");
page.off("dialog", answer);
check("dialogs", asked, ["alert", "confirm", "prompt"]);
page.once("dialog", (dialog) => dialog.accept());
await go("/app/iframe");
check("frames", await page.frameLocator("#frame").locator("h2").textContent(), "Notice to mariners no. 14");
const tab = await context.newPage();
await tab.goto(site + "/code");
check("new tab", context.pages().length, 2);
await tab.close();
const [popup] = await Promise.all([
  context.waitForEvent("page"),
  page.evaluate((url) => { window.open(url); }, site + "/app/popup-target?from=script"),
]);
await popup.waitForLoadState();
check("popup", popup.url().includes("from=script"), true);
await popup.close();
await page.route("**/made-up", (route) => route.fulfill({ contentType: "text/plain", body: "from the test" }));
check("network interception", await page.evaluate(() => fetch("/made-up").then((answer) => answer.text())), "from the test");
await page.unrouteAll();
const said = page.waitForEvent("console");
await page.evaluate(() => console.log("ahoy"));
check("console events", (await said).text(), "ahoy");
await go("/form");
await page.getByLabel("Your name").pressSequentially("Ada");
await page.keyboard.press("Control+A");
await page.keyboard.type("Grace");
check("keyboard", await page.getByLabel("Your name").inputValue(), "Grace");
check("screenshot", (await page.screenshot({ fullPage: true })).subarray(1, 4).toString(), "PNG");
check("pdf", (await page.pdf()).subarray(0, 5).toString(), "%PDF-");
await go("/app/slow?ms=500");
await page.waitForSelector("table");
check("waiting", await page.locator("table").count() > 0, true);
await page.evaluate(() => localStorage.setItem("berth", "17"));
check("storage", await page.evaluate(() => localStorage.getItem("berth")), "17");
await go("/app/shadow");
check("content", (await page.content()).includes("</html>"), true);
await page.setViewportSize({ width: 500, height: 400 });
check("viewport", await page.evaluate(() => innerWidth), 500);
"all done"
`;
