import vm from 'node:vm';

/** What the frame would say to a window of `origin`, in a browser that has these cookies. */
export interface Asked {
  readonly message: unknown;
  readonly origin: string;
  /** As `document.cookie` has them. */
  readonly cookies: string;
  /** False in a browser that keeps cookies from frames of other sites. */
  readonly cookiesReadable?: boolean;
  /** Of the page that has the frame in it, as far as the browser tells. */
  readonly ancestorOrigins?: readonly string[];
  readonly referrer?: string;
}

interface Answered {
  readonly text: unknown;
  /** Who alone may receive it. */
  readonly to: unknown;
}

/** Runs the script of a check-session page (Session Management 1.0 §3.2) without a browser. @returns undefined for no answer */
export async function askFrame(
  page: string,
  { message, origin, cookies, cookiesReadable = true, ancestorOrigins, referrer = '' }: Asked,
): Promise<Answered | undefined> {
  const code = /<script>([\s\S]*)<\/script>/.exec(page)?.[1];
  if (code === undefined) throw new Error('the page has no script');
  let listener: ((event: object) => void) | undefined;
  const document = { cookie: cookies, referrer, hasStorageAccess: () => Promise.resolve(cookiesReadable) };
  const location = { ancestorOrigins };
  const window = {
    addEventListener: (_type: string, heard: (event: object) => void) => (listener = heard),
  };
  vm.runInNewContext(code, { document, location, window, crypto, TextEncoder, Uint8Array, Promise, URL });
  return await new Promise((resolve) => {
    const source = { postMessage: (text: unknown, to: unknown) => resolve({ text, to }) };
    listener?.({ data: message, origin, source });
    setTimeout(() => resolve(undefined), 500);
  });
}
