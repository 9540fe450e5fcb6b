import type { Check } from './check.js';

/** RFC 6749 §3.1: parameters must not be included more than once. */
export const rejectRepeatedParameters: Check = ({ parameters }) => {
  parameters.refuseRepeated();
  return {};
};
