const HERE = { url: 'http://127.0.0.1:8080/', token: 'pat_invented-token-of-no-one' };

/** A service that gives one answer, and what it was asked. */
export function service(body: object, status = 200) {
  const asked: { call: string; body: unknown; ifMatch?: string }[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const text = typeof init?.body === 'string' ? init.body : 'null';
    const ifMatch = new Headers(init?.headers).get('if-match');
    asked.push({
      call: `${init?.method ?? 'GET'} ${pathname}${search}`,
      body: JSON.parse(text),
      ...(ifMatch !== null && { ifMatch }),
    });
    return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });
  };
  return { asked, around: { ...HERE, fetch } };
}
