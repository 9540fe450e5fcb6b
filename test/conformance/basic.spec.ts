import { describePlan } from './modules/plans.js';

describePlan('oidcc-basic-certification-test-plan', ['code']);
