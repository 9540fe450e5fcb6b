import { afterAll, beforeAll } from 'vitest';
import { describePlan } from './modules/plans.js';
import { Stage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.build();
});
afterAll(() => stage.close());

describePlan('oidcc-formpost-basic-certification-test-plan', ['code'], true, () => stage);
