import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../scripts/processes.mjs';
import { aDirectory, type Directory } from '../support/scim.js';
import { fetchOnce } from './support/fetch-once.js';
import { record } from './support/matrix.js';
import { pythonPins, VENV_PYTHON } from './support/python-pins.js';
import { Stage } from './support/stage.js';

// Somebody else's SCIM client, with somebody else's checks of the RFCs.

const FOLDER = 'scim2-tester';
/**
 * Where it takes for granted what docs/scim.md says otherwise: numbers of ten random digits, which no telephone has; what is
 * always shown, be it named or not; the one address that is kept is the primary one.
 */
const OTHERWISE = [
  /'phoneNumbers'/,
  /did not remove attribute '(?:displayName|active)'/,
  /'(?:emails|addresses)'.* primary=False/,
];

describe('SCIM', () => {
  let stage: Stage;
  let directory: Directory;
  beforeAll(async () => {
    stage = await Stage.build();
    directory = await aDirectory(stage.world);
    // its passwords are of lower case and digits
    await stage.manage('policies/password', { minLength: 8, hasUppercase: false, hasSymbol: false }, 'PUT');
  });
  afterAll(() => stage.close());

  it('passes the checks of scim2-tester', async () => {
    const cwd = await fetchOnce(FOLDER, pythonPins());
    const { code, output } = await run(VENV_PYTHON, ['check.py'], {
      cwd,
      env: {
        ...process.env,
        SCIM_URL: `${stage.issuer}/scim/v2/${stage.world.orgId}`,
        SCIM_TOKEN: directory.token,
      },
      timeoutMs: 5 * 60_000,
      group: true,
    });
    expect(code, output).toBe(0);
    const results = output.trim().split('\n');
    const failed = results.filter(
      (line) =>
        !/^(?:SUCCESS|COMPLIANT|ACCEPTABLE|SKIPPED)\t/.test(line) &&
        !OTHERWISE.some((known) => known.test(line)),
    );
    const passed = results.filter((line) => line.startsWith('SUCCESS'));
    console.log(`scim2-tester: ${passed.length} of ${results.length} checks succeeded`);
    expect(failed).toEqual([]);
    expect(passed.length).toBeGreaterThan(70);
    await record({ client: 'scim2-tester', version: '0.5.2', did: [`${passed.length} checks of SCIM`] });
  });
});
