import { afterAll, beforeAll, describe } from 'vitest';
import { describeModules } from './modules/plans.js';
import { Stage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.build();
});
afterAll(() => stage.close());

describe('oidcc-basic-certification-test-plan', () => {
  describeModules(['code'], false, () => stage);
});
