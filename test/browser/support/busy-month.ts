/**
 * A month of a busy organization, and jobs of its imports. The service counts beside this: shortly after a full hour the hour before it has
 * counts of its own.
 */
export const BUSY_MONTH = `
  INSERT INTO organization_counts (org_id, hour, counted, count)
  SELECT o.id, date_trunc('hour', now()) - make_interval(hours => h), c.counted,
    1 + (c.often * (1.2 + sin(h * 0.2618)) * (1 + h % 5))::int
  FROM organizations o, generate_series(1, 720) AS h,
    (VALUES ('signInsSucceeded', 30), ('signInsRefused', 4), ('newUsers', 3), ('messagesSent', 12), ('messagesFailed', 1),
      ('tokensIssued', 220), ('smsAdmitted', 5), ('smsRefused', 1), ('smsCost', 350000)) AS c (counted, often)
  ON CONFLICT (org_id, hour, counted) DO NOTHING;
  INSERT INTO instance_counts SELECT hour, counted, sum(count) FROM organization_counts GROUP BY 1, 2
  ON CONFLICT (hour, counted) DO UPDATE SET count = instance_counts.count + excluded.count;
  INSERT INTO instance_counts SELECT date_trunc('hour', now()) - make_interval(hours => h), c.counted, 1 + (c.often * (1 + h % 7))::int
  FROM generate_series(1, 720) AS h, (VALUES ('jobs.imports.completed', 40), ('jobs.imports.failed', 1),
    ('jobs.notifications.completed', 9), ('jobs.maintenance.completed', 2)) AS c (counted, often)
  ON CONFLICT (hour, counted) DO NOTHING`.split(';');
