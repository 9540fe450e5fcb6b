import { LONGEST_TOKEN_OF_ORGANIZATION } from '../../../src/domain/policies/policy-limits.ts';
import { tokenPolicy, type TokenBody, type TokenPolicy } from './policies.ts';
import { PolicyPage } from './policy-page.tsx';
import { tokenBody, tokenErrors, TokenFields, tokenValues, type TokenValues } from './token-fields.tsx';

/** How long what applications get is good. */
export function TokenPolicyPage() {
  return (
    <PolicyPage<TokenPolicy, TokenBody, TokenValues>
      kind={tokenPolicy}
      valuesOf={({ policy, inherited }) => tokenValues(policy, inherited)}
      bodyOf={tokenBody}
      validate={(values) => tokenErrors(values, LONGEST_TOKEN_OF_ORGANIZATION)}
      fields={(properties) => <TokenFields {...properties} />}
    />
  );
}
