import { afterAll, beforeAll, describe } from 'vitest';
import { describeModules } from './modules/plans.js';
import { Stage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.build();
});
afterAll(() => stage.close());

describe('oidcc-formpost-implicit-certification-test-plan', () => {
  describeModules(['id_token', 'id_token token'], true, () => stage);
});
