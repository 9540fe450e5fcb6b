import { servedAcrValues } from '../../sessions/acr.js';
import type { Check } from './check.js';

/** A wish (OpenID Connect Core §3.1.2.1): what is not served is passed over, and never an error. */
export const readAcrValues: Check = ({ parameters }) => {
  const acrValues = servedAcrValues((parameters.get('acr_values') ?? '').split(' '));
  return acrValues.length === 0 ? {} : { acrValues };
};
