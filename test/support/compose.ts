import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

// docker-compose.yml as Compose reads it, as far as we use it: anchors and merges by the YAML parser, `${NAME:-default}`
// by hand. The ring `interop` has Compose itself read it.

export const ROOT = path.join(import.meta.dirname, '../..');

export interface ComposeService {
  readonly image: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: readonly { readonly path: string; readonly required: boolean }[];
  readonly secrets?: readonly string[];
  readonly networks?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy?: { readonly resources: { readonly limits: Readonly<Record<string, string | number>> } };
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly healthcheck?: { readonly disable?: boolean; readonly test?: readonly string[] };
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>;
  readonly networks?: Readonly<Record<string, unknown>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
}

export function readCompose(file = 'docker-compose.yml'): ComposeFile {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  // Compose's own tag, which takes what the file before it said away
  const customTags = [{ tag: '!reset', collection: 'seq' as const }];
  return parse(text, { merge: true, customTags }) as ComposeFile;
}

/** `NAME=value` lines, as `env_file` takes them. */
export function readEnvFile(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => /^[A-Za-z_][A-Za-z0-9_]*=/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

export function interpolate(text: string, given: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{([A-Z_]+):-([^}]*)\}/g, (_, name: string, byDefault: string) => {
    return given[name] === undefined || given[name] === '' ? byDefault : given[name];
  });
}

/** What the processes of a service find in their environment. @param env content of the file `.env` */
export function environmentOf(
  { environment = {}, env_file }: ComposeService,
  env: string,
): Record<string, string> {
  const given = readEnvFile(env);
  const own = Object.entries(environment).map(([name, value]) => [name, interpolate(value, given)]);
  return { ...(env_file === undefined ? {} : given), ...(Object.fromEntries(own) as Record<string, string>) };
}
