import { describePlan, HYBRID_TYPES, WITH_HYBRID } from './modules/plans.js';

describePlan('oidcc-formpost-hybrid-certification-test-plan', HYBRID_TYPES, {
  formPost: true,
  settings: WITH_HYBRID,
});
