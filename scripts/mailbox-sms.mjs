// The one call of Twilio's HTTP API that the service makes: sending a message. Answers as the real one does, so that
// the real client library works against it; the "magic" test numbers fail as they do with test credentials.
import { randomBytes } from 'node:crypto';

export const SMS_PATH = /^\/2010-04-01\/Accounts\/([A-Za-z0-9]+)\/Messages\.json$/;
const E164 = /^\+[1-9]\d{6,14}$/;
const MAX_BODY = 1600;

/** Numbers that Twilio documents as always failing in its test mode. */
const FAILING_NUMBERS = new Map([
  ['+15005550001', [21211, "Invalid 'To' Phone Number"]],
  ['+15005550002', [21612, "The 'To' phone number is not currently reachable"]],
  ['+15005550004', [21610, 'Attempt to send to unsubscribed recipient']],
  ['+15005550009', [21614, "'To' number is not a valid mobile number"]],
]);

/** What is wrong with a request, as `[http status, Twilio code, sentence]`; undefined when it can be sent. */
export function smsProblem(authorization, form) {
  if (!/^Basic \S+/i.test(authorization ?? '')) return [401, 20003, 'Authenticate'];
  const to = form.get('To') ?? '';
  if (to === '') return [400, 21604, "A 'To' phone number is required."];
  if (!E164.test(to)) return [400, 21211, `Invalid 'To' Phone Number: ${to}`];
  if (!form.get('From') && !form.get('MessagingServiceSid'))
    return [400, 21603, "A 'From' phone number is required."];
  const body = form.get('Body') ?? '';
  if (body === '') return [400, 21602, 'Message body is required.'];
  if (body.length > MAX_BODY)
    return [400, 21617, 'The concatenated message body exceeds the 1600 character limit.'];
  const failing = FAILING_NUMBERS.get(to);
  return failing === undefined ? undefined : [400, ...failing];
}

export function smsError([status, code, message]) {
  return { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status };
}

export function smsAccepted(account, form, receivedAt) {
  const sid = `SM${randomBytes(16).toString('hex')}`;
  const uri = `/2010-04-01/Accounts/${account}/Messages/${sid}`;
  const date = receivedAt.toUTCString().replace('GMT', '+0000');
  return {
    sid,
    account_sid: account,
    messaging_service_sid: form.get('MessagingServiceSid'),
    to: form.get('To'),
    from: form.get('From'),
    body: form.get('Body'),
    status: 'queued',
    direction: 'outbound-api',
    num_segments: String(Math.ceil(form.get('Body').length / 153)),
    num_media: '0',
    api_version: '2010-04-01',
    date_created: date,
    date_updated: date,
    date_sent: null,
    price: null,
    price_unit: 'USD',
    error_code: null,
    error_message: null,
    uri: `${uri}.json`,
    subresource_uris: { media: `${uri}/Media.json` },
  };
}
