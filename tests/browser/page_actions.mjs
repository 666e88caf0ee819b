// What tests do with the page, in its own words.

export async function choose(page, models) {
  await page.waitForSelector(".card");
  for (const box of await page.locator(".card input:not(:disabled)").all())
    await box.setChecked(false);
  for (const model of models)
    await page.getByRole("checkbox", { name: model }).first().setChecked(true);
}

/** Waits until each column has the state, and returns their completions (prompt left out). */
export async function completions(page, state) {
  await page.waitForFunction((wanted) => {
    const columns = [...document.querySelectorAll(".column")];
    return columns.length > 0 && columns.every((column) => column.dataset.state === wanted);
  }, state);
  return page.locator(".column .tokens").allTextContents();
}

/** One row of the heat map as [text, number under it, background] per token. */
export function heatRow(page, index) {
  return page
    .locator(`#heat-${index} > .token`)
    .evaluateAll((tokens) =>
      tokens.map((token) => [
        token.textContent,
        token.dataset.number,
        getComputedStyle(token).backgroundColor,
      ]),
    );
}

export function scrollsSideways(page) {
  return page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
}
