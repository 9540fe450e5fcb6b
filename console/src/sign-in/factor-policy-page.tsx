import { factorBody, factorErrors, FactorFields, factorValues, type FactorValues } from './factor-fields.tsx';
import { factorPolicy, type FactorBody, type FactorPolicy } from './policies.ts';
import { PolicyPage } from './policy-page.tsx';

/** What is asked of people beside a password. */
export function FactorPolicyPage() {
  return (
    <PolicyPage<FactorPolicy, FactorBody, FactorValues>
      kind={factorPolicy}
      valuesOf={({ policy, isDefault }) => factorValues(policy, isDefault)}
      bodyOf={(values, { inherited }) => factorBody(values, inherited)}
      validate={factorErrors}
      fields={(properties) => <FactorFields {...properties} />}
    />
  );
}
