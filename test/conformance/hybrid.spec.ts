import { afterAll, beforeAll, describe } from 'vitest';
import { describeModules } from './modules/plans.js';
import { Stage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.build({ HYBRID_FLOW: 'on' });
});
afterAll(() => stage.close());

describe('oidcc-hybrid-certification-test-plan', () => {
  describeModules(['code id_token', 'code token', 'code id_token token'], false, () => stage);
});
