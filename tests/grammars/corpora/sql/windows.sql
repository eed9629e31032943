CREATE TABLE points (run INTEGER, day TEXT, score REAL);
INSERT INTO points VALUES (1, '2024-01-01', 1), (1, '2024-01-02', 3.25), (2, '2024-01-01', 2);

SELECT run, day, rank() OVER (PARTITION BY run ORDER BY score DESC) AS place FROM points;
SELECT sum(score) OVER (ORDER BY day ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM points;
SELECT
    avg(score) FILTER (WHERE score > 1) OVER w AS mean,
    first_value(score) OVER (w ROWS UNBOUNDED PRECEDING EXCLUDE CURRENT ROW),
    count(*) OVER (),
    group_concat(day, ', ') OVER (
        PARTITION BY run, score > 2
        ORDER BY day
        GROUPS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES
    )
FROM points
WINDOW w AS (PARTITION BY run ORDER BY day), v AS (ORDER BY score)
ORDER BY mean;
SELECT total(score) OVER (ORDER BY score RANGE BETWEEN 2 PRECEDING AND 1.5 FOLLOWING EXCLUDE GROUP) FROM points;
SELECT lag(score, 1, 0) OVER win FROM points WINDOW win AS (ORDER BY day ROWS 2 PRECEDING EXCLUDE NO OTHERS);
SELECT count(DISTINCT run) FILTER (WHERE day LIKE '2024%') FROM points;

-- Recursion.
WITH RECURSIVE
    counter (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM counter WHERE n < 10),
    fibonacci (a, b) AS (SELECT 0, 1 UNION SELECT b, a + b FROM fibonacci WHERE b < 100)
SELECT n, a FROM counter, fibonacci WHERE n = a ORDER BY 1;
WITH parts AS NOT MATERIALIZED (SELECT 1 AS x), others AS (WITH inner_one AS (SELECT 2) SELECT * FROM inner_one)
SELECT * FROM parts UNION ALL SELECT * FROM others LIMIT (SELECT 5);
WITH RECURSIVE walk (x, y) AS (
    SELECT -2.0, 0
    UNION ALL
    SELECT x + 0.5, y + 1 FROM walk WHERE x < 2
)
SELECT group_concat(printf('%d:%g', y, x), ' ') FROM walk;
