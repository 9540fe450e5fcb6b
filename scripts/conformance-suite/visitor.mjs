// Somebody with a browser, as the suite wants one: opens an address, signs in where a page asks for it, agrees to what it asks, and
// keeps a picture of where that led.

const MOST_PAGES = 10;
/** The module about a request that is opened twice before anybody signs in. */
const LOOKS_FIRST = /reused-request-uri-prior/;
const CANCELS = /user-rejects/;

export class Visitor {
  #opened = 0;

  constructor(context, { suite, module, loginName, password }) {
    this.context = context;
    this.suite = suite;
    this.module = module;
    this.loginName = loginName;
    this.password = password;
  }

  /** @returns {Promise<Buffer>} a picture of the last page */
  async open(url) {
    this.#opened += 1;
    const page = await this.context.newPage();
    await page.goto(url);
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      await page.waitForLoadState();
      const { origin } = new URL(page.url());
      if (origin === this.suite || (LOOKS_FIRST.test(this.module) && this.#opened === 1)) break;
      if (!(await this.#act(page))) break;
    }
    // scripts of the suite's pages hand on what stands in the fragment
    await page.waitForTimeout(1000);
    return await page.screenshot();
  }

  async #act(page) {
    const cancel = page.locator('form[action="/login/cancel"] button');
    if (CANCELS.test(this.module) && (await cancel.count()) > 0) return await leave(page, cancel.first());
    const password = page.locator('input[name=password]:visible');
    if ((await password.count()) > 0) {
      const loginName = page.locator('input[name=loginName]:visible');
      if ((await loginName.count()) > 0) await loginName.fill(this.loginName);
      await password.fill(this.password);
      const signIn = page.locator('form:has(input[name=password]) button[type=submit]').first();
      return await leave(page, signIn);
    }
    const agree = page.locator('button[value=allow], main form button[type=submit]').first();
    return (await agree.isVisible()) && (await leave(page, agree));
  }
}

/** @returns whether the button led anywhere */
async function leave(page, button) {
  const before = page.url();
  const left = page.waitForEvent('framenavigated', { timeout: 8000 }).then(
    () => true,
    () => page.url() !== before,
  );
  await button.click();
  return await left;
}
