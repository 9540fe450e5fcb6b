// SQL by hand: a column of the statement that claims a message
import { TEXT_FIELDS, type TextField } from '../../../domain/notifications/templates/message-texts.js';

/** Where a text stands in `message_templates`, as `t`. */
function textColumn(field: TextField): string {
  return field === 'smsText' ? 't.sms_text' : `t.${field}`;
}

/**
 * The words that others have set for a message, in every language, as one column `ownTexts`, shaped as `OwnTexts[]`;
 * `n` has the organization and the type.
 */
export const OWN_TEXTS_COLUMN = `
  coalesce((
    SELECT json_agg(json_build_object('owner', CASE WHEN t.org_id IS NULL THEN 'instance' ELSE 'organization' END,
      'language', t.language, 'texts', json_strip_nulls(json_build_object(
        ${TEXT_FIELDS.map((field) => `'${field}', ${textColumn(field)}`).join(', ')}))))
    FROM message_templates t WHERE (t.org_id = n.org_id OR t.org_id IS NULL) AND t.type = n.template
  ), '[]') AS "ownTexts"`;
