import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DocumentHost } from '../support/document-host.js';
import { DYNAMIC } from './modules/dynamic.js';
import { HYBRID_TYPES, IMPLICIT_TYPES, WITH_HYBRID } from './modules/plans.js';
import { DYNAMIC_SETTINGS, Registrar } from './support/dynamic-run.js';
import { Stage } from './support/stage.js';

// Modules of `oidcc-dynamic-certification-test-plan` whose flow differs in the variants with another response type than `code`; all of
// them with `code` are in dynamic.spec.ts.

describe.each([...IMPLICIT_TYPES, ...HYBRID_TYPES])(
  'oidcc-dynamic-certification-test-plan with %s',
  (responseType) => {
    let stage: Stage;
    let registrar: Registrar;
    let host: DocumentHost;

    beforeAll(async () => {
      stage = await Stage.build({ ...DYNAMIC_SETTINGS, ...WITH_HYBRID });
      registrar = await Registrar.of(stage, responseType);
      host = await DocumentHost.start();
    });
    afterEach(async () => {
      await registrar.removeAll();
    });
    afterAll(async () => {
      await host.stop();
      await stage.close();
    });

    const modules = Object.entries(DYNAMIC).filter(
      // there is nothing to ask userinfo with otherwise
      ([name]) => responseType !== 'id_token' || name !== 'oidcc-userinfo-rs256',
    );
    it.each(modules)('%s', async (_name, module) => {
      await expect(module(registrar, host)).resolves.toBeUndefined();
    });
  },
);
