import { tokenPolicy, type TokenBody, type TokenPolicy } from './policies.ts';
import { PolicyPage } from './policy-page.tsx';
import { tokenBody, tokenErrors, TokenFields, tokenValues, type TokenValues } from './token-fields.tsx';

/** Of access and ID tokens, in an organization. */
const LONGEST = 86_400;

/** How long what applications get is good. */
export function TokenPolicyPage() {
  return (
    <PolicyPage<TokenPolicy, TokenBody, TokenValues>
      kind={tokenPolicy}
      valuesOf={({ policy, inherited }) => tokenValues(policy, inherited)}
      bodyOf={tokenBody}
      validate={(values) => tokenErrors(values, LONGEST)}
      fields={(properties) => <TokenFields {...properties} />}
    />
  );
}
