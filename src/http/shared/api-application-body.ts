import { bodyReader, choice, flag, name } from './api-fields.js';
import { API_METHODS } from './application-response.js';

const apiMethod = choice(API_METHODS).default('client_secret_basic');
/** Narrows the audience of its assertions from issuer or token endpoint to the issuer alone (architecture §6). */
const apiFields = { authMethodType: apiMethod, assertionAudienceIssuerOnly: flag() };
export const readApiApplication = bodyReader({ name: name(), ...apiFields });
export const readApiConfig = bodyReader(apiFields);
