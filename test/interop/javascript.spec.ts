import { afterAll, beforeAll, describe, it } from 'vitest';
import { versionOf } from './support/client-folder.js';
import { fetchOnce } from './support/fetch-once.js';
import { NODE_CLIENTS } from './support/node-clients.js';
import { runClient } from './support/run-client.js';
import { Stage } from './support/stage.js';

describe('client libraries of Node.js, on a default application', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.build();
  });
  afterAll(() => stage.close());

  it.each(NODE_CLIENTS)('$client', async ({ folder, package: name, program = 'app.mjs', ...client }) => {
    const cwd = await fetchOnce(folder);
    const version = await versionOf(folder, name);
    await runClient(stage, { ...client, version, argv: [process.execPath, program] }, cwd);
  });
});
