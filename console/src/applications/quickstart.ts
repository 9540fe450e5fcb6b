import type { NewOidcBody } from './applications.ts';

/**
 * The examples of docs/quickstart, which tests run as they are printed (test/interop, test/conformance): read from the pages themselves, with
 * the ids of an application filled in.
 */

const FRAMEWORKS = [
  'react-spa',
  'nextjs-authjs',
  'express',
  'spring-boot',
  'django',
  'go',
  'mobile',
  'command-line',
] as const;
export type Framework = (typeof FRAMEWORKS)[number];

export const FRAMEWORK_NAMES: Readonly<Record<Framework, string>> = {
  'react-spa': 'React',
  'nextjs-authjs': 'Next.js (Auth.js)',
  express: 'Express',
  'spring-boot': 'Spring Boot',
  django: 'Django',
  go: 'Go',
  mobile: 'AppAuth, Python',
  'command-line': 'Command line (device code)',
};

/** A block of code on the page. */
export interface Block {
  readonly language: string;
  /** Where it is saved; of commands, nowhere. */
  readonly file?: string;
  readonly code: string;
}

export interface Quickstart {
  /** How the application is registered: the body that the page sends. */
  readonly settings: Readonly<NewOidcBody>;
  /** What signs people in. */
  readonly blocks: readonly Block[];
  /** What takes their tokens, where the page has that. */
  readonly apiBlocks: readonly Block[];
}

const PAGES = import.meta.glob<string>('../../../docs/quickstart/*.md', { query: '?raw', import: 'default' });

export async function loadQuickstart(framework: Framework): Promise<Quickstart> {
  const load = PAGES[`../../../docs/quickstart/${framework}.md`];
  if (load === undefined) throw new Error(`docs/quickstart has no page ${framework}`);
  return parseQuickstart(await load());
}

function parseQuickstart(page: string): Quickstart {
  const sections = page.split(/^## /m);
  const of = (heading: RegExp) => sections.filter((section) => heading.test(section)).flatMap(blocksOf);
  const registration = of(/^1\. /).find(({ language }) => language === 'json');
  return {
    settings: JSON.parse(registration?.code ?? '{}') as NewOidcBody,
    blocks: of(/^[23]\. /),
    apiBlocks: of(/^Protect an API/).filter(({ language }) => language !== 'sh'),
  };
}

function blocksOf(section: string): Block[] {
  return [...section.matchAll(/^```(\w+)(?: file=(\S+))?[^\n]*\n(.*?)^```$/gms)].map(
    ([, language = '', file, code = '']) => ({
      language,
      code: code.trimEnd(),
      ...(file !== undefined && { file }),
    }),
  );
}

/** What the examples are told. */
export interface Ids {
  readonly issuer: string;
  readonly clientId: string;
  /** Known only on the page that shows it. */
  readonly clientSecret?: string | undefined;
  readonly redirectUris: readonly string[];
}

/** Whether a browser comes back to the application; a device that shows a code waits for itself. */
export function comesBack({ grantTypes }: Pick<NewOidcBody, 'grantTypes'>): boolean {
  return grantTypes?.includes('OIDC_GRANT_TYPE_DEVICE_CODE') !== true;
}

/** The registered address that the example comes back to: the one with the path that its library has. */
export function redirectUriFor(
  { settings }: Pick<Quickstart, 'settings'>,
  registered: readonly string[],
): string | undefined {
  const wanted = settings.redirectUris ?? [];
  const exact = wanted.find((uri) => registered.includes(uri));
  return exact ?? registered.find((uri) => wanted.some((one) => pathOf(one) === pathOf(uri)));
}

function pathOf(uri: string): string {
  return URL.canParse(uri) ? new URL(uri).pathname : uri;
}

/** A block with the ids of an application in it. What nobody can know here stays `…`. */
export function fillIn(
  block: Block,
  { issuer, clientId, clientSecret }: Ids,
  quickstart: Pick<Quickstart, 'settings'>,
  redirectUri?: string,
): Block {
  const values: Readonly<Record<string, string | undefined>> = {
    ISSUER: issuer,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
  };
  const code = block.code
    .replace(/\b((?:VITE_)?(ISSUER|CLIENT_ID|CLIENT_SECRET))=…/g, (placeholder, name: string, of: string) =>
      values[of] === undefined ? placeholder : `${name}=${values[of]}`,
    )
    .replaceAll(/\b(API_CLIENT_ID)=…/g, `$1=${clientId}`);
  return { ...block, code: atOrigin(code, quickstart.settings.redirectUris?.[0], redirectUri) };
}

/** The example's own address, wherever it is written, gives way to that of the application. */
function atOrigin(code: string, from: string | undefined, to: string | undefined): string {
  if (from === undefined || to === undefined || !/^https?:/.test(from) || !/^https?:/.test(to)) return code;
  const [old, wanted] = [new URL(from), new URL(to)];
  if (old.origin === wanted.origin) return code;
  const isHere = wanted.protocol === 'http:' && wanted.hostname === old.hostname;
  const written = code.replaceAll(old.origin, wanted.origin);
  return isHere
    ? written
        .replaceAll(`PORT=${old.port}`, `PORT=${wanted.port}`)
        .replaceAll(`--port ${old.port}`, `--port ${wanted.port}`)
        .replaceAll(`runserver localhost:${old.port}`, `runserver localhost:${wanted.port}`)
    : written
        .replaceAll(`\`http://localhost:\${PORT}\``, `'${wanted.origin}'`)
        .replaceAll('"http://localhost:" + os.Getenv("PORT")', `"${wanted.origin}"`);
}
