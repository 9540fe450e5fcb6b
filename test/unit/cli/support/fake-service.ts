export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Buffer;
}

export type Answer = () => Response | Promise<Response>;

/** A service that answers as it is told, each path from its own list; the last answer of a list stays. */
export function serviceOf(answers: Record<string, Answer[]>): {
  fetch: typeof globalThis.fetch;
  asked: Asked[];
} {
  const asked: Asked[] = [];
  return {
    asked,
    fetch: async (input, init) => {
      const { href } = new URL(input instanceof Request ? input.url : input);
      const path = href.slice('http://127.0.0.1:8080'.length);
      const method = init?.method ?? 'GET';
      // a stream is read to its end, as fetch does
      const body = Buffer.from(await new Response(init?.body ?? null).arrayBuffer());
      asked.push({ method, path, headers: new Headers(init?.headers), body });
      const left = answers[`${method} ${path.split('?')[0]}`] ?? [];
      const answer = left.length > 1 ? left.shift() : left[0];
      if (answer === undefined) throw new Error(`nobody told how to answer ${method} ${path}`);
      return answer();
    },
  };
}

export const json =
  (body: object, status = 200): Answer =>
  () =>
    new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });
