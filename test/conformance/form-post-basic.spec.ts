import { describePlan } from './modules/plans.js';

describePlan('oidcc-formpost-basic-certification-test-plan', ['code'], { formPost: true });
