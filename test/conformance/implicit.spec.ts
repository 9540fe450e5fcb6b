import { describePlan, IMPLICIT_TYPES } from './modules/plans.js';

describePlan('oidcc-implicit-certification-test-plan', IMPLICIT_TYPES);
