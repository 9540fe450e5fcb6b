import { Stack, Text } from '@mantine/core';
import type { FormErrors } from '@mantine/form';
import de from '../../../locales/console/de/keys.json';
import en from '../../../locales/console/en/keys.json';
import { answered, api, ifMatch, type Answered } from '../api/client.ts';
import { say, words } from '../app/words.ts';
import { inWords, secondsOf, UNITS } from '../shared/durations.ts';
import { between, DurationField, ToggleField, type OptionalNumber } from '../shared/fields.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';

const { scheduleForm: t } = words({ en, de });

type Schedule = Answered<'/admin/v1/keys/schedule', 'get'>;

/** What is offered where keys change only on demand: as a new instance has it. */
const USUAL_PERIOD = 90 * UNITS.days;
const LONGEST_PERIOD = 1825 * UNITS.days;
const SHORTEST_LEAD = 20 * UNITS.minutes;
const LONGEST_LEAD = 30 * UNITS.days;

// oxlint-disable-next-line typescript/consistent-type-definitions -- forms take records, which an interface is not
type ScheduleValues = {
  readonly rotates: boolean;
  readonly rotationPeriod: OptionalNumber;
  readonly leadTime: OptionalNumber;
};

function valuesOf({ rotationPeriod, leadTime }: Schedule): ScheduleValues {
  const period = secondsOf(rotationPeriod);
  return {
    rotates: period > 0,
    rotationPeriod: period > 0 ? period : USUAL_PERIOD,
    leadTime: secondsOf(leadTime),
  };
}

/** Rounded up: what is said is taken, where a part of an hour less would be as well. */
function inHours(seconds: number): string {
  return inWords(Math.ceil(seconds / UNITS.hours) * UNITS.hours);
}

/**
 * Neither can be left out: an empty field is too little.
 *
 * @param least for which the key set has room
 */
function errorsOf({ rotates, rotationPeriod, leadTime }: ScheduleValues, least: number): FormErrors {
  const lead = between(SHORTEST_LEAD, LONGEST_LEAD, inWords)(leadTime === '' ? 0 : leadTime);
  const shortest = Math.max(least, 2 * (leadTime === '' ? SHORTEST_LEAD : leadTime));
  return {
    leadTime: lead,
    rotationPeriod:
      rotates && lead === null
        ? between(shortest, LONGEST_PERIOD, inHours)(rotationPeriod === '' ? 0 : rotationPeriod)
        : null,
  };
}

/** How often keys change, and how long before that the next one is published. */
export function ScheduleForm({ schedule }: { readonly schedule: Schedule }) {
  const least = secondsOf(schedule.shortestRotationPeriod);
  return (
    <SettingsForm<ScheduleValues>
      bare
      name="keys.schedule"
      initial={valuesOf(schedule)}
      sequence={schedule.details.sequence}
      validate={(values) => errorsOf(values, least)}
      save={async ({ rotates, rotationPeriod, leadTime }, sequence) =>
        await answered(
          api.PUT('/admin/v1/keys/schedule', {
            ...(sequence !== undefined && { params: { header: ifMatch(sequence) } }),
            body: { rotationPeriod: rotates ? `${rotationPeriod}s` : '0s', leadTime: `${leadTime}s` },
          }),
        )
      }
      // a first step is done by it
      stale={[['keys'], ['first-steps']]}
      done={t.saved}
    >
      {(form) => (
        <Stack gap="lg" maw={600} mt="lg">
          <ToggleField
            label={t.rotates}
            help={t.rotatesHelp}
            {...form.getInputProps('rotates', { type: 'checkbox' })}
          />
          {form.values.rotates && (
            <DurationField
              label={t.rotationPeriod}
              help={say(t.rotationPeriodHelp, { least: inHours(least) })}
              units={['hours', 'days']}
              {...form.getInputProps('rotationPeriod')}
            />
          )}
          <DurationField
            label={t.leadTime}
            help={t.leadTimeHelp}
            units={['minutes', 'hours', 'days']}
            {...form.getInputProps('leadTime')}
          />
          {form.isDirty() && <Text size="sm">{t.effect}</Text>}
        </Stack>
      )}
    </SettingsForm>
  );
}
