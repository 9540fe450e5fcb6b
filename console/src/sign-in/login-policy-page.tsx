import { Input, MultiSelect, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/sign-in.json';
import en from '../../../locales/console/en/sign-in.json';
import { answered, api, inOrganization } from '../api/client.ts';
import { untilThere } from '../app/queries.ts';
import { words } from '../app/words.ts';
import { ToggleField } from '../shared/fields.tsx';
import { Unread } from '../shared/found.tsx';
import { loginPolicy } from './policies.ts';
import { PolicyPage } from './policy-page.tsx';

const t = words({ en, de });
const FIELDS = ['allowRegister', 'requireLoginName', 'allowAccountDeletion', 'allowExternalIdps'] as const;

/** What people may do at the sign-in page. */
export function LoginPolicyPage() {
  const { org = '' } = useParams({ strict: false });
  const offered = useQuery({
    queryKey: ['sign-in', org, 'instance-idps'],
    queryFn: async () =>
      (await answered(api.GET('/management/v1/idps/_instance', { params: inOrganization(org) }))).result ??
      [],
    refetchInterval: untilThere,
  });
  return (
    <PolicyPage
      kind={loginPolicy}
      valuesOf={({ policy }) => ({ ...policy, homeRealmIdpId: policy.homeRealmIdpId ?? null })}
      bodyOf={({ homeRealmIdpId, ...values }) => ({
        ...values,
        ...(homeRealmIdpId !== null && { homeRealmIdpId }),
      })}
      fields={({ form, inherited, source }) => (
        <>
          {FIELDS.map((name) => (
            <ToggleField
              key={name}
              label={t.login[name]}
              help={t.login.help[name]}
              inherited={inherited[name]}
              source={source}
              {...form.getInputProps(name, { type: 'checkbox' })}
            />
          ))}
          <Unread found={offered} />
          <InstanceProviders
            offered={offered.data}
            {...form.getInputProps('instanceIdps')}
            onChange={(ids) => {
              form.setFieldValue('instanceIdps', ids);
              const { homeRealmIdpId: named } = form.values;
              if (named !== null && !ids.includes(named)) form.setFieldValue('homeRealmIdpId', null);
            }}
          />
          <HomeRealm
            offered={offered.data}
            used={form.values.instanceIdps}
            {...form.getInputProps('homeRealmIdpId')}
          />
        </>
      )}
    />
  );
}

interface Offered {
  readonly id: string;
  readonly name: string;
}

interface InstanceProvidersProperties {
  /** Until they are read, nobody can say that there are none. */
  readonly offered: readonly Offered[] | undefined;
  readonly value?: string[];
  readonly onChange: (ids: string[]) => void;
}

/** Where there is nothing to choose, that is said in place of a list that opens on nothing. */
function InstanceProviders({ offered, value = [], ...field }: InstanceProvidersProperties) {
  const words = { label: t.login.instanceIdps, description: t.login.help.instanceIdps };
  if (offered?.length === 0 && value.length === 0)
    return (
      <Input.Wrapper {...words} labelElement="div">
        <Text size="sm">{t.login.noneOfInstance}</Text>
      </Input.Wrapper>
    );
  return (
    <MultiSelect
      {...words}
      {...(offered !== undefined && { nothingFoundMessage: t.login.noInstanceIdps })}
      {...(value.length === 0 && { placeholder: t.login.noneChosen })}
      searchable
      clearable
      data={choices(offered ?? [], value)}
      value={value}
      {...field}
    />
  );
}

interface HomeRealmProperties {
  readonly offered: readonly Offered[] | undefined;
  /** Ids of those that people sign in with. */
  readonly used: readonly string[];
  readonly value?: string | null;
  readonly error?: React.ReactNode;
}

/** Only where there is one to choose. */
function HomeRealm({ offered, used, value = null, error, ...field }: HomeRealmProperties) {
  if (used.length === 0 && value === null) return null;
  const isGone = value !== null && offered?.some(({ id }) => id === value) === false;
  return (
    <Select
      label={t.login.homeRealmIdpId}
      description={t.login.help.homeRealmIdpId}
      placeholder={t.login.noneChosen}
      clearable
      data={choices(offered ?? [], value === null ? [] : [value]).filter(
        ({ value: id }) => id === value || used.includes(id),
      )}
      value={value}
      error={error ?? (isGone && t.login.homeRealmGone)}
      {...field}
    />
  );
}

/** One that is named and was switched off since then, or has not been read yet, shows its id. */
function choices(offered: readonly Offered[], chosen: readonly string[]) {
  const gone = chosen.filter((id) => !offered.some((one) => one.id === id));
  return [
    ...offered.map(({ id, name }) => ({ value: id, label: name })),
    ...gone.map((id) => ({ value: id, label: id })),
  ];
}
