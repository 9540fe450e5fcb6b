import type { Answer } from '../support/https-client.js';
import { claimTypeFaults } from './claims.js';
import { isObject, isText, parseObject } from './json.js';

/** An answer of the userinfo endpoint (OpenID Connect Core §5.3.2). @param sub that of the ID token */
export function userinfoFaults(answer: Answer, sub: unknown, nowSeconds: number): string[] {
  const body = parseObject(answer.body);
  if (answer.status !== 200 || body === undefined) return [`userinfo: ${answer.status} ${answer.body}`];
  const faults: string[] = [];
  const type = String(answer.headers['content-type']);
  if (!/^application\/json\s*(;|$)/i.test(type)) faults.push(`Content-Type is ${type}`);
  if (!isText(body['sub']) || body['sub'] !== sub) faults.push('sub is not that of the ID token');
  const names = body['_claim_names'];
  const sources = body['_claim_sources'];
  if (isObject(names)) {
    for (const source of Object.values(names)) {
      if (!isObject(sources) || !(String(source) in sources)) faults.push('_claim_names points at nothing');
    }
  }
  return [...faults.map((fault) => `userinfo: ${fault}`), ...claimTypeFaults('userinfo', body, nowSeconds)];
}
