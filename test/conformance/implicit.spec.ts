import { afterAll, beforeAll } from 'vitest';
import { describePlan } from './modules/plans.js';
import { Stage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.build();
});
afterAll(() => stage.close());

describePlan('oidcc-implicit-certification-test-plan', ['id_token', 'id_token token'], false, () => stage);
