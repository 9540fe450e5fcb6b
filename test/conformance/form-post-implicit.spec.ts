import { describePlan, IMPLICIT_TYPES } from './modules/plans.js';

describePlan('oidcc-formpost-implicit-certification-test-plan', IMPLICIT_TYPES, { formPost: true });
