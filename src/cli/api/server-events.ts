interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Server-sent events (WHATWG HTML §9.2.6) of a stream; comments, which are heartbeats, are passed over. */
export async function* serverEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let held = '';
  let event = 'message';
  let data: string[] = [];
  for await (const chunk of chunks) {
    held += decoder.decode(chunk, { stream: true });
    const lines = held.split(/\r\n|\n|\r(?!$)/);
    held = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { event, data: data.join('\n') };
        event = 'message';
        data = [];
        continue;
      }
      const colon = line.indexOf(':');
      const field = colon === -1 ? line : line.slice(0, colon);
      const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'event') event = value;
      else if (field === 'data') data.push(value);
    }
  }
}
