// The suite's own API, as far as a run of its plans needs it.

const FAULTS = new Set(['FAILURE', 'WARNING', 'INTERRUPTED']);

export class Suite {
  /** @param {string} origin where it is served by https, as its configuration has it */
  constructor(origin) {
    this.origin = origin;
  }

  async plan(planName, variant, config) {
    return await this.#call('POST', `plan?${query({ planName, variant: JSON.stringify(variant) })}`, config);
  }

  /** @returns the id of a test that is set up */
  async begin(plan, { testModule: test, variant = {} }) {
    const { id } = await this.#call(
      'POST',
      `runner?${query({ test, plan, variant: JSON.stringify(variant) })}`,
    );
    return id;
  }

  async start(id) {
    await this.#call('POST', `runner/${id}`);
  }

  async info(id) {
    return await this.#call('GET', `info/${id}`);
  }

  /** Addresses that somebody has to open, each as often as it stands there. */
  async toVisit(id) {
    const { urls = [], visited = [] } = await this.#call('GET', `runner/browser/${id}`).catch(() => ({}));
    return urls.map((url) => ({ url, seen: visited.filter((one) => one === url).length }));
  }

  async visit(id, url) {
    await this.#call('POST', `runner/browser/${id}/visit?${query({ url })}`);
  }

  /** Gives a picture to each place that waits for one. */
  async show(id, png) {
    const images = await this.#call('GET', `log/${id}/images`);
    const waiting = images.filter(({ upload, img }) => upload !== undefined && img === undefined);
    for (const { upload } of waiting) {
      const picture = `data:image/png;base64,${png.toString('base64')}`;
      await this.#call('POST', `log/${id}/images/${upload}`, picture);
    }
    return waiting.length > 0;
  }

  /** What went wrong, in its words; the entry of an interruption says by what. */
  async faults(id) {
    const log = await this.#call('GET', `log/${id}`);
    return log
      .filter(({ result }) => FAULTS.has(result))
      .map(({ result, src, msg }) => `${result} ${src}: ${msg}`);
  }

  async #call(method, path, body) {
    const isText = typeof body === 'string';
    const response = await fetch(`${this.origin}/api/${path}`, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': isText ? 'text/plain' : 'application/json' },
        body: isText ? body : JSON.stringify(body),
      }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path.split('?', 1)[0]} answered ${response.status}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}

function query(parameters) {
  return new URLSearchParams(parameters).toString();
}
