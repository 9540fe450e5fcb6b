import { anyFreePort } from '../../../scripts/ports.mjs';
import { ForeignApp } from './foreign-app.js';
import { record, type Row } from './matrix.js';
import type { ApplicationJson, Stage } from './stage.js';
import { walk, type Step } from './walk.js';

/** A client of the ring: a program in `test/interop/clients`, and the application that a newcomer makes for it. */
export interface Client extends Omit<Row, 'did' | 'application'> {
  readonly steps: readonly Step[];
  readonly argv: readonly [string, ...string[]];
  /** The application's JSON, `origin` being where the program listens. The first redirect URI is handed to it. */
  readonly application: (origin: string) => ApplicationJson;
  readonly environment?: Readonly<Record<string, string>>;
  /** Where signing in begins, for a framework that has its own path; `/login` elsewhere. */
  readonly loginPath?: string;
}

/** Registers the application, starts the program in its prepared folder, walks all its steps and notes the row. */
export async function runClient(
  stage: Stage,
  { argv, steps, application, environment = {}, loginPath, ...row }: Client,
  cwd: string,
): Promise<void> {
  const port = await anyFreePort();
  const json = application(`http://localhost:${port}`);
  const [redirectUri = ''] = json.redirectUris;
  // two applications of a project cannot have one name
  const registered = await stage.addApplication({ ...json, name: row.client });
  const app = await ForeignApp.start({ cwd, argv, port, redirectUri, registered, environment });
  try {
    await walk(stage, app, steps, loginPath);
  } finally {
    await app.stop();
  }
  await record({ ...row, application: json, did: steps });
}
