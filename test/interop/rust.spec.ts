import { afterAll, beforeAll, describe, it } from 'vitest';
import { applicationFile } from './support/application-file.js';
import { fetchOnce, type Pins } from './support/fetch-once.js';
import { runClient } from './support/run-client.js';
import { Stage } from './support/stage.js';

const CARGO: Pins = {
  files: ['Cargo.toml', 'Cargo.lock', 'src/main.rs'],
  install: [['cargo', 'build', '--locked', '--quiet']],
};

describe('a client written in Rust, on a default application', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.build();
  });
  afterAll(() => stage.close());

  it('openidconnect', async () => {
    await runClient(
      stage,
      {
        client: 'openidconnect (Rust)',
        version: '4.1.0',
        // no revocation: the crate sends a token to be revoked to https alone
        steps: ['sign-in', 'userinfo', 'refresh', 'logout'],
        application: applicationFile('rust-openidconnect'),
        argv: ['target/debug/example'],
      },
      await fetchOnce('rust-openidconnect', CARGO),
    );
  });
});
