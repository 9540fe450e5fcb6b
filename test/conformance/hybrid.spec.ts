import { describePlan, HYBRID_TYPES, WITH_HYBRID } from './modules/plans.js';

describePlan('oidcc-hybrid-certification-test-plan', HYBRID_TYPES, { settings: WITH_HYBRID });
