/** A fenced piece of a page. */
interface Block {
  readonly language: string;
  readonly text: string;
}

/** Something that the page tells its reader to do, and what it prints as the outcome. */
export interface PrintedStep {
  readonly title: string;
  /** A file to save, or lines for the shell. */
  readonly action: { readonly file: string; readonly text: string } | { readonly lines: string };
  readonly outcome?: { readonly json: readonly unknown[] } | { readonly text: string };
}

/** The steps of a markdown page, in order. @throws when a piece is none that a reader could follow */
export function stepsOf(markdown: string): readonly PrintedStep[] {
  const steps: PrintedStep[] = [];
  let heading = '';
  for (const found of markdown.matchAll(/^#{1,6} (.+)$|^```(\w+)\n([\s\S]*?)^```$/gm)) {
    const [, newHeading, language, text = ''] = found;
    heading = newHeading ?? heading;
    if (language === undefined) continue;
    const last = steps.at(-1);
    const title = `${heading} (${steps.length + 1})`;
    if (language === 'sh') steps.push({ title, action: { lines: text } });
    else if (language === 'js') steps.push({ title, action: fileOf({ language, text }) });
    else if (last === undefined || last.outcome !== undefined || 'file' in last.action)
      throw new Error(`"${title}" prints an outcome of nothing`);
    else steps[steps.length - 1] = { ...last, outcome: outcomeOf({ language, text }) };
  }
  if (steps.length === 0) throw new Error('the page has no steps');
  return steps;
}

function fileOf({ text }: Block): { file: string; text: string } {
  const file = /^\/\/ ([\w-]+\.mjs)\n/.exec(text)?.[1];
  if (file === undefined) throw new Error(`no file name in the first line of ${text.slice(0, 60)}`);
  return { file, text };
}

function outcomeOf({ language, text }: Block): NonNullable<PrintedStep['outcome']> {
  if (language === 'json') return { json: documentsIn(text) };
  if (language === 'text') return { text: text.trim() };
  throw new Error(`a piece in ${language} is nothing that a reader could do`);
}

/** JSON objects one after the other, as several calls print them. */
export function documentsIn(text: string): readonly unknown[] {
  const objects = text
    .trim()
    .replaceAll(/\}\s*\{/g, '}\u0000{')
    .split('\u0000');
  return objects.map((object): unknown => {
    try {
      return JSON.parse(object);
    } catch {
      throw new Error(`this is no JSON: ${object}`);
    }
  });
}

/**
 * The form of a value, in which what differs from run to run is only a kind: identifiers, tokens, moments, numbers.
 * Words stay as they are.
 */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one)]));
  if (typeof value === 'string') return value.split(' ').map(shapeOfWord).join(' ');
  return typeof value === 'boolean' ? value : typeof value;
}

/** The first that fits. A page may cut a long value short with "…". */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/, '<moment>'],
  [/^http:\/\/localhost:\d+$/, '<issuer>'],
  [/^eyJ/, '<JWT>'],
  [/^at_/, '<access token>'],
  [/^rt_/, '<refresh token>'],
  [/…$|^[\w-]{64}$|^-\.0\.0\./, '<random>'],
];

function shapeOfWord(word: string): string {
  const kind = KINDS.find(([pattern]) => pattern.test(word));
  return kind?.[1] ?? word.replaceAll(/\d{10,}/g, '<number>');
}
