import type { BrowserContext, Page } from "playwright-core";

/** Signs in to the hub of `nest up` as its page says: by a code, typed at the local code host. Answers with the page it leads to. */
export async function signInHere(
  context: BrowserContext,
  { hubUrl, login, to = "/operations" }: { readonly hubUrl: string; readonly login: string; readonly to?: string },
): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${hubUrl}/login?redirect=${encodeURIComponent(to)}`);
  await page.getByRole("button", { name: "Sign in with a code" }).click();
  await page.locator("#code").waitFor();
  const there = await context.newPage();
  await there.goto((await page.locator("#where").getAttribute("href")) ?? "");
  await there.getByLabel("Code").fill((await page.locator("#user-code").textContent()) ?? "");
  await there.getByLabel("Login").fill(login);
  await there.getByRole("button", { name: "Approve" }).click();
  await there.getByText("Done.").waitFor();
  await there.close();
  await page.waitForURL((url) => url.pathname !== "/login", { timeout: 20_000 });
  return page;
}
