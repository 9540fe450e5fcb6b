// The suite's plans that this service goes through: name and variant of each, and which clients it is given (clients.mjs).

const STATIC = { server_metadata: 'discovery', client_registration: 'static_client' };
const LOGOUT = { response_type: 'code', client_registration: 'static_client' };
const MESSAGES = { fapi_request_method: 'signed_non_repudiation', fapi_response_mode: 'jarm' };

function fapi2(client_auth_type, sender_constrain) {
  return {
    client_auth_type,
    sender_constrain,
    authorization_request_type: 'simple',
    openid: 'openid_connect',
    fapi_profile: 'plain_fapi',
  };
}

/** By a short name: plan, variant, clients. */
export const PLANS = {
  config: ['oidcc-config-certification-test-plan', {}, 'code'],
  basic: ['oidcc-basic-certification-test-plan', STATIC, 'code'],
  implicit: ['oidcc-implicit-certification-test-plan', STATIC, 'implicit'],
  hybrid: ['oidcc-hybrid-certification-test-plan', STATIC, 'hybrid'],
  'form-post-basic': ['oidcc-formpost-basic-certification-test-plan', STATIC, 'code'],
  'form-post-implicit': ['oidcc-formpost-implicit-certification-test-plan', STATIC, 'implicit'],
  'form-post-hybrid': ['oidcc-formpost-hybrid-certification-test-plan', STATIC, 'hybrid'],
  logout: ['oidcc-rp-initiated-logout-certification-test-plan', LOGOUT, 'code'],
  'back-channel': ['oidcc-backchannel-rp-initiated-logout-certification-test-plan', LOGOUT, 'backChannel'],
  'front-channel': ['oidcc-frontchannel-rp-initiated-logout-certification-test-plan', LOGOUT, 'frontChannel'],
  session: ['oidcc-session-management-certification-test-plan', LOGOUT, 'session'],
  dynamic: ['oidcc-dynamic-certification-test-plan', { response_type: 'code' }, 'dynamic'],
  'dynamic-implicit': ['oidcc-dynamic-certification-test-plan', { response_type: 'id_token' }, 'dynamic'],
  'dynamic-implicit-token': [
    'oidcc-dynamic-certification-test-plan',
    { response_type: 'id_token token' },
    'dynamic',
  ],
  'dynamic-hybrid': ['oidcc-dynamic-certification-test-plan', { response_type: 'code id_token' }, 'dynamic'],
  'dynamic-hybrid-token': [
    'oidcc-dynamic-certification-test-plan',
    { response_type: 'code token' },
    'dynamic',
  ],
  'dynamic-hybrid-both': [
    'oidcc-dynamic-certification-test-plan',
    { response_type: 'code id_token token' },
    'dynamic',
  ],
  'third-party': ['oidcc-3rdparty-init-login-certification-test-plan', { response_type: 'code' }, 'dynamic'],
  fapi2: ['fapi2-security-profile-final-test-plan', fapi2('private_key_jwt', 'dpop'), 'fapi'],
  'fapi2-mtls': ['fapi2-security-profile-final-test-plan', fapi2('private_key_jwt', 'mtls'), 'fapiMtls'],
  'fapi2-certificates': ['fapi2-security-profile-final-test-plan', fapi2('mtls', 'dpop'), 'fapiCertificates'],
  'fapi2-certificates-mtls': [
    'fapi2-security-profile-final-test-plan',
    fapi2('mtls', 'mtls'),
    'fapiCertificatesMtls',
  ],
  messages: [
    'fapi2-message-signing-final-test-plan',
    { ...fapi2('private_key_jwt', 'dpop'), ...MESSAGES },
    'messages',
  ],
  'messages-mtls': [
    'fapi2-message-signing-final-test-plan',
    { ...fapi2('private_key_jwt', 'mtls'), ...MESSAGES },
    'messagesMtls',
  ],
};
