import { Checkbox, Group, Input, NumberInput, Radio, Select, Stack, Switch } from '@mantine/core';
import { useId, useState, type ReactNode } from 'react';
import de from '../../../locales/console/de/settings.json';
import en from '../../../locales/console/en/settings.json';
import { say, words } from '../app/words.ts';
import { inWords, UNIT_NAMES, unitOf, UNITS, type Unit } from './durations.ts';

/** Fields of settings: what each does in plain words, and what holds where it is left alone. */

const t = words({ en, de });

interface FieldProperties {
  readonly label: string;
  readonly help: ReactNode;
}

/** Empty is what is inherited. */
export type OptionalNumber = number | '';

interface NumberFieldProperties extends FieldProperties {
  readonly value?: OptionalNumber;
  readonly onChange?: (value: OptionalNumber) => void;
  readonly onBlur?: React.FocusEventHandler<HTMLInputElement>;
  readonly error?: ReactNode;
  /** Shown while the field is empty, and named beside a value of one's own. */
  readonly inherited?: number | undefined;
  /** Who decided that: "Instance". */
  readonly source?: string;
}

function withInherited(
  help: ReactNode,
  inherited: string | undefined,
  source: string | undefined,
  isOwn: boolean,
) {
  if (inherited === undefined || source === undefined || !isOwn) return help;
  return (
    <>
      {help} {say(t.inheritedValue, { source, value: inherited })}
    </>
  );
}

function numberOf(value: number | string): OptionalNumber {
  return value === '' || Number.isNaN(Number(value)) ? '' : Number(value);
}

export function NumberField({
  label,
  help,
  value = '',
  onChange,
  onBlur,
  error,
  inherited,
  source,
}: NumberFieldProperties) {
  return (
    <NumberInput
      label={label}
      description={withInherited(
        help,
        inherited === undefined ? undefined : String(inherited),
        source,
        value !== '',
      )}
      placeholder={
        inherited === undefined || source === undefined
          ? undefined
          : say(t.placeholder, { source, value: inherited })
      }
      value={value}
      onChange={(given) => onChange?.(numberOf(given))}
      error={error}
      {...(onBlur !== undefined && { onBlur })}
      hideControls
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="none"
      inputMode="numeric"
      styles={{ wrapper: { maxWidth: 240 } }}
    />
  );
}

/** A time as a number and its unit. The value is in seconds. */
export function DurationField({
  label,
  help,
  value = '',
  onChange,
  onBlur,
  error,
  inherited,
  source,
  units = UNIT_NAMES,
}: NumberFieldProperties & { readonly units?: readonly Unit[] }) {
  const [chosen, setChosen] = useState<Unit | undefined>(undefined);
  const id = useId();
  const natural = unitOf(value === '' ? (inherited ?? 60) : value);
  const unit =
    chosen !== undefined && (value === '' || value % UNITS[chosen] === 0)
      ? chosen
      : units.includes(natural)
        ? natural
        : (units[0] ?? 'seconds');
  const inheritedInWords = inherited === undefined ? undefined : inWords(inherited);
  return (
    <Input.Wrapper
      id={id}
      label={label}
      description={withInherited(help, inheritedInWords, source, value !== '')}
      error={error}
    >
      <Group gap="xs" mt={6} maw={380}>
        <NumberInput
          id={id}
          aria-label={label}
          placeholder={
            inheritedInWords === undefined || source === undefined
              ? undefined
              : say(t.placeholder, { source, value: inheritedInWords })
          }
          value={value === '' ? '' : value / UNITS[unit]}
          onChange={(given) => {
            const amount = numberOf(given);
            setChosen(unit);
            onChange?.(amount === '' ? '' : Math.round(amount * UNITS[unit]));
          }}
          error={error !== undefined && error !== null && error !== false}
          {...(onBlur !== undefined && { onBlur })}
          hideControls
          allowDecimal={false}
          allowNegative={false}
          inputMode="numeric"
          // what is inherited is read to its end; where there is no room the unit stands below
          flex="1 1 210px"
        />
        <Select
          aria-label={say(t.unitOf, { label })}
          value={unit}
          onChange={(to) => {
            if (to === null) return;
            setChosen(to);
            if (value !== '') onChange?.((value / UNITS[unit]) * UNITS[to]);
          }}
          data={units.map((name) => ({ value: name, label: t.units[name] }))}
          allowDeselect={false}
          w={124}
        />
      </Group>
    </Input.Wrapper>
  );
}

interface ToggleFieldProperties extends FieldProperties {
  readonly checked?: boolean;
  readonly onChange?: (event: React.ChangeEvent<HTMLInputElement>) => void;
  readonly isReadOnly?: boolean;
  readonly inherited?: boolean | undefined;
  readonly source?: string;
}

export function ToggleField({
  label,
  help,
  checked = false,
  onChange,
  isReadOnly = false,
  inherited,
  source,
}: ToggleFieldProperties) {
  return (
    <Switch
      label={label}
      description={withInherited(
        help,
        inherited === undefined ? undefined : inherited ? t.on : t.off,
        source,
        inherited !== checked,
      )}
      checked={checked}
      disabled={isReadOnly}
      {...(onChange !== undefined && { onChange })}
    />
  );
}

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly help?: string;
}

interface ChoiceFieldProperties<Value extends string> extends FieldProperties {
  readonly choices: readonly Choice<Value>[];
  readonly value?: Value;
  readonly onChange?: (value: Value) => void;
  readonly inherited?: Value | undefined;
  readonly source?: string;
}

/** One of a few, each with what it means. */
export function ChoiceField<Value extends string>({
  label,
  help,
  choices,
  value,
  onChange,
  inherited,
  source,
}: ChoiceFieldProperties<Value>) {
  return (
    <Radio.Group
      label={label}
      description={withInherited(
        help,
        choices.find((choice) => choice.value === inherited)?.label,
        source,
        inherited !== value,
      )}
      value={value ?? null}
      onChange={(given) => onChange?.(given)}
    >
      <Stack gap="sm" mt="sm">
        {choices.map((choice) => (
          <Radio
            key={choice.value}
            value={choice.value}
            label={choice.label}
            {...(choice.help !== undefined && { description: choice.help })}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}

interface SeveralFieldProperties<Value extends string> extends FieldProperties {
  readonly choices: readonly Choice<Value>[];
  readonly value?: readonly Value[];
  readonly onChange?: (value: Value[]) => void;
  readonly error?: ReactNode;
}

/** Some of a few. What was ticked keeps its order; what is added stands where the list has it. */
export function SeveralField<Value extends string>({
  label,
  help,
  choices,
  value = [],
  onChange,
  error,
}: SeveralFieldProperties<Value>) {
  const order = choices.map((choice) => choice.value);
  return (
    <Checkbox.Group
      label={label}
      description={help}
      error={error}
      value={[...value]}
      onChange={(given) => {
        const kept = value.filter((one) => given.includes(one));
        const added = order.filter((one) => given.includes(one) && !value.includes(one));
        const isInOrder = kept.join() === order.filter((one) => kept.includes(one)).join();
        onChange?.(isInOrder ? order.filter((one) => given.includes(one)) : [...kept, ...added]);
      }}
    >
      <Stack gap="sm" mt="sm">
        {choices.map((choice) => (
          <Checkbox
            key={choice.value}
            value={choice.value}
            label={choice.label}
            {...(choice.help !== undefined && { description: choice.help })}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

/** For `validate` of a form. */
export function between(least: number, most: number, shown: (value: number) => string = String) {
  return (value: OptionalNumber): string | null =>
    value === '' || (Number.isInteger(value) && value >= least && value <= most)
      ? null
      : say(t.between, { least: shown(least), most: shown(most) });
}
