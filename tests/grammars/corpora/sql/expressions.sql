SELECT 1 + 2 * 3 - 4 / 5 % 6, -1, +1, ~1, - - 1, 'a' || 'b' || 1;
SELECT 1 << 2 | 3 & 4 >> 1, 1 < 2, 1 <= 2, 2 > 1, 2 >= 1, 1 = 1, 1 == 1, 1 <> 2, 1 != 2;
SELECT NOT 1 = 2 AND 3 OR NOT NOT 0, 1 IS 1, 1 IS NOT NULL, 1 NOT NULL, NULL ISNULL, 1 NOTNULL;
SELECT 'abc' LIKE 'a%', 'abc' NOT LIKE 'A_C' ESCAPE '\', 'abc' GLOB 'a*', 'abc' NOT GLOB '[x-z]*';
SELECT 5 BETWEEN 1 AND 10, 5 NOT BETWEEN 1 + 1 AND 10 - 1 AND 1, 'b' COLLATE BINARY > 'A' COLLATE NOCASE;
SELECT 1 IN (), 1 IN (1, 2, 3), 1 NOT IN (SELECT 2 UNION SELECT 3), (1, 2) = (SELECT 1, 2), (1, 2) IN (VALUES (1, 2));
SELECT CASE 1 WHEN 1 THEN 'one' WHEN 2 THEN 'two' END, CASE WHEN 1 > 2 THEN NULL ELSE x'' END;
SELECT CAST('12' AS INTEGER), CAST(1 AS VARCHAR(10)), cast(1.5 as unsigned big int), CAST(x'3132' AS TEXT);
SELECT coalesce(NULL, 1), replace('abc', 'b', ''), max(1, 2), abs(-1), iif(1, 'yes', 'no'), "abs"(-1);
SELECT '{"a": {"b": [10, 20]}}' -> 'a' ->> '$.b[1]', '[1]' -> 0;
SELECT 0x1F, 1e3, 1.5E-2, .5, 2., 9223372036854775807, X'0aFF', 'it''s', '', "x" FROM (SELECT 1 AS x);
SELECT current_date, CURRENT_TIME, current_timestamp IS NOT NULL, true, FALSE;
SELECT EXISTS (SELECT 1 WHERE 0), NOT EXISTS (SELECT 1), (SELECT 2), ((3)), ((SELECT 4));
SELECT a.b, a.[b], a.`b`, "a"."b" AS "c d", a.b AS 'e' FROM (SELECT 1 AS b) AS a WHERE a.b IN (1) GROUP BY a.b HAVING 1;
select 1 is distinct from 2, 1 is not distinct from null, 2 is not 3 is 1, not null is null;
Select Sum(Value) From json_each('[1, 2]') Order By 1 -- the last line has no end