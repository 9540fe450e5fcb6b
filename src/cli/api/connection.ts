import { access, constants, readFile, stat } from 'node:fs/promises';
import { Command } from '@commander-js/extra-typings';
import { z } from 'zod';
import { LOOPBACK_HOSTS } from '../../domain/applications/redirect-uri.js';
import { readFailure } from '../files/bytes-of.js';
import { OperationFailed, UsageError } from '../shell/exit.js';
import type { Terminal } from '../shell/terminal.js';
import { ApiClient } from './api-client.js';

/** Options of every command that asks the service. A token is none of them: others could read it off the processes. */
export const connectionOptions = new Command()
  .option('--url <url>', 'address of the service (or IDENTITY_URL)')
  .option('--token-file <file>', 'file with a personal access token (or IDENTITY_TOKEN_FILE, IDENTITY_TOKEN)')
  .option('--org <id>', "organization to act in (or IDENTITY_ORG; default the caller's own)")
  .option(
    '--config <file>',
    'JSON with url, tokenFile or token, and org (default ~/.config/identity/config.json)',
  )
  .option('--allow-http', 'allows http:// to another machine: the token travels without TLS')
  .option('--json', 'writes the result as JSON');

type ConnectionOptions = ReturnType<typeof connectionOptions.opts>;

const configuration = z.strictObject({
  url: z.string().optional(),
  token: z.string().optional(),
  tokenFile: z.string().optional(),
  org: z.string().optional(),
});

/**
 * Which service is called, and with which token: options before the environment, that before the configuration file. The token of
 * a file is sent to the service of that file alone: another address, typed or left in the environment, must not get it (security
 * S408).
 */
export async function connect(given: ConnectionOptions, terminal: Terminal): Promise<ApiClient> {
  const { environment } = terminal;
  const path = given.config ?? environment.configFile;
  const file = await readConfiguration(path, given.config !== undefined || environment.isConfigNamed);
  const isTokenGiven = [given.tokenFile, environment.token, environment.tokenFile].some(
    (one) => one !== undefined,
  );
  // the file was not named explicitly: its service must not get a token for another one
  const isOthers = isTokenGiven && given.config === undefined && environment.isConfigLocal;
  const url = given.url ?? environment.url ?? (isOthers ? undefined : file.url);
  if (url === undefined && isOthers && file.url !== undefined)
    throw new UsageError(
      `where is the service? ${path} is for its own token: give --url or IDENTITY_URL, or no token for ${file.url}`,
    );
  if (url === undefined)
    throw new UsageError('where is the service? give --url, IDENTITY_URL or a configuration file');
  const base = baseUrl(url, given.allowHttp);
  const isTokenOfFile = !isTokenGiven && (file.token ?? file.tokenFile) !== undefined;
  if (isTokenOfFile && !isSameOrigin(base, file.url)) {
    const { origin } = new URL(base);
    throw new UsageError(
      `the token of ${path} is for ${file.url ?? 'no service: it has no url'}: ` +
        `give --token-file, IDENTITY_TOKEN or IDENTITY_TOKEN_FILE for ${origin}`,
    );
  }
  const token = await tokenOf(
    given.tokenFile,
    environment.token,
    environment.tokenFile,
    file.token,
    file.tokenFile,
  );
  return new ApiClient(terminal.fetch, base, token, given.org ?? environment.org ?? file.org);
}

function isSameOrigin(base: string, url: string | undefined): boolean {
  return url !== undefined && URL.canParse(url) && new URL(url).origin === new URL(base).origin;
}

async function readConfiguration(path: string, mustExist: boolean): Promise<z.infer<typeof configuration>> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    if (!mustExist) return {};
    throw readFailure(path, error);
  }
  const result = configuration.safeParse(parseJson(content));
  if (!result.success) throw new UsageError(`${path} must be JSON with url, tokenFile or token, and org`);
  if (result.data.token !== undefined) await requirePrivate(path);
  return result.data;
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

/**
 * A token is a password: whoever else may read the file has it. A pipe is nobody else's. What an orchestrator mounts as a secret has
 * the modes that it has, and is not the caller's to change.
 */
async function requirePrivate(path: string): Promise<void> {
  const found = await stat(path);
  const isOpen = found.isFile() && (found.mode & 0o077) !== 0 && process.platform !== 'win32';
  if (isOpen && found.uid === process.getuid?.() && (await isWritable(path))) {
    throw new OperationFailed(`${path} holds a token and others may read it: chmod 600 ${path}`);
  }
}

async function isWritable(path: string): Promise<boolean> {
  return await access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function tokenOf(
  file: string | undefined,
  token: string | undefined,
  ...others: readonly (string | undefined)[]
): Promise<string> {
  if (file === undefined && token !== undefined) return token.trim();
  const [environmentFile, configured, configuredFile] = others;
  const path = file ?? environmentFile ?? (configured === undefined ? configuredFile : undefined);
  if (path === undefined && configured !== undefined) return configured.trim();
  if (path === undefined) {
    throw new UsageError(
      'who is asking? give --token-file, IDENTITY_TOKEN or a configuration file with a token',
    );
  }
  const content = await readFile(path, 'utf8').catch((error: unknown) => {
    throw readFailure(path, error);
  });
  await requirePrivate(path);
  return content.trim();
}

function baseUrl(given: string, allowHttp = false): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError('the URL of the service must begin with https:// (or http:// on this machine)');
  }
  const isLocal = LOOPBACK_HOSTS.has(url.hostname);
  if (url.protocol === 'http:' && !isLocal && !allowHttp) {
    throw new UsageError(
      'the token would travel without TLS: use https://, or --allow-http in a network of your own',
    );
  }
  return url.href.replace(/\/+$/, '');
}
