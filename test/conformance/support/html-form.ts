/** A form as a browser without scripts sees it. */
export interface HtmlForm {
  readonly method: string;
  readonly action: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Named inputs in the order of the page, with the values they came with. */
  readonly fields: readonly { readonly name: string; readonly value: string; readonly type: string }[];
  readonly buttons: readonly Readonly<Record<string, string>>[];
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

export function formsOf(page: string): readonly HtmlForm[] {
  return [...page.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, head = '', inside = '']) => {
    const attributes = attributesOf(head);
    return {
      attributes,
      method: (attributes['method'] ?? 'get').toLowerCase(),
      action: attributes['action'] ?? '',
      fields: tags(inside, 'input')
        .filter((input) => input['name'] !== undefined)
        .map((input) => ({
          name: input['name'] ?? '',
          value: input['value'] ?? '',
          type: input['type'] ?? 'text',
        })),
      buttons: tags(inside, 'button'),
    };
  });
}

function tags(html: string, name: string): Record<string, string>[] {
  return [...html.matchAll(new RegExp(`<${name}\\b((?:"[^"]*"|'[^']*'|[^>"'])*)>`, 'g'))].map(
    ([, head = '']) => attributesOf(head),
  );
}

function attributesOf(head: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = '', quoted, single, bare] of head.matchAll(
    /([a-zA-Z][\w:-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>/]+)))?/g,
  )) {
    attributes[name.toLowerCase()] = unescape(quoted ?? single ?? bare ?? '');
  }
  return attributes;
}

function unescape(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
      return ENTITIES[name ?? ''] ?? whole;
    },
  );
}
