-- A shop: its tables, its rows, and what one asks of them.
BEGIN IMMEDIATE TRANSACTION;

CREATE TABLE IF NOT EXISTS customers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL COLLATE NOCASE,
    email VARCHAR(255) UNIQUE ON CONFLICT IGNORE,
    city TEXT DEFAULT 'Zürich',
    balance DECIMAL(10, 2) NOT NULL DEFAULT -0.5 CHECK (balance > -1000),
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    "full name" TEXT GENERATED ALWAYS AS (name || ', ' || city) VIRTUAL
);

CREATE TABLE products (
    sku TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    price REAL NOT NULL DEFAULT (1.0 * 2),
    stock INT DEFAULT +0,
    picture BLOB DEFAULT x'CAFE',
    [double price] DOUBLE PRECISION AS (price * 2) STORED
) WITHOUT ROWID;

CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer INTEGER NOT NULL DEFAULT 1 REFERENCES customers (id) ON DELETE CASCADE ON UPDATE NO ACTION
        DEFERRABLE INITIALLY DEFERRED,
    state TEXT CONSTRAINT known_state CHECK (state IN ('open', 'paid', 'sent')),
    placed TEXT
);

CREATE TABLE order_lines (
    "order" INTEGER,
    sku TEXT,
    amount INTEGER CHECK (amount BETWEEN 1 AND 100),
    CONSTRAINT one_line_per_product PRIMARY KEY ("order", sku),
    FOREIGN KEY ("order") REFERENCES orders (id) ON DELETE SET NULL,
    CONSTRAINT sku_known FOREIGN KEY (sku) REFERENCES products NOT DEFERRABLE,
    UNIQUE (sku, "order") ON CONFLICT REPLACE
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX IF NOT EXISTS products_by_title ON products (title COLLATE NOCASE DESC);
CREATE INDEX open_orders ON orders (customer, lower(placed)) WHERE state = 'open';

INSERT INTO customers (name, email, city, balance) VALUES
    ('Ada', 'ada@example.org', 'London', 10),
    ('Grace', 'grace@example.org', 'New York', 1e2),
    ('O''Neill', NULL, NULL, .5);
INSERT OR REPLACE INTO products (sku, title, price, stock) VALUES ('p1', 'Pen', 1.5, 100);
INSERT INTO products (sku, title) SELECT 'p' || value, 'Product ' || value FROM (
    SELECT 2 AS value UNION ALL SELECT 3 UNION ALL VALUES (4)
);
INSERT INTO orders DEFAULT VALUES RETURNING id, state AS "the state", *;
DELETE FROM orders;
REPLACE INTO orders VALUES (1, 1, 'open', '2024-02-29'), (2, 2, 'paid', date('now')), (3, 1, NULL, NULL);
INSERT INTO order_lines VALUES (1, 'p1', 2), (1, 'p2', 1), (2, 'p1', 0x10);
COMMIT;

SELECT * FROM customers;
SELECT c.*, o.id FROM customers c LEFT OUTER JOIN orders AS o ON o.customer = c.id ORDER BY c.name, 2 DESC;
SELECT c.name, count(*) AS n, sum(l.amount * p.price) total
FROM customers AS c
    JOIN orders o ON o.customer = c.id
    INNER JOIN order_lines l ON l."order" = o.id
    JOIN products p USING (sku)
WHERE o.state IS NOT NULL AND c.city LIKE '%on%' ESCAPE '\'
GROUP BY c.id, c.name
HAVING count(*) > 0 AND NOT total < 1
ORDER BY total DESC NULLS LAST, c.name COLLATE NOCASE ASC
LIMIT 10 OFFSET 0;
SELECT name FROM customers WHERE id IN (SELECT customer FROM orders WHERE state = 'open')
UNION SELECT title FROM products
EXCEPT SELECT 'Pen'
INTERSECT VALUES ('Ada'), ('Product 2');
SELECT DISTINCT city FROM customers, (orders CROSS JOIN products) WHERE customers.id == customer LIMIT 2, 5;
SELECT name, (SELECT max(placed) FROM orders WHERE customer = c.id) AS latest FROM customers c
WHERE EXISTS (SELECT 1 FROM orders WHERE customer = c.id);
SELECT key, value FROM json_each('{"a": [1, 2]}') AS entry WHERE entry.key <> '';
SELECT * FROM orders NATURAL JOIN order_lines;
SELECT * FROM orders FULL JOIN products ON orders.id = products.stock;
SELECT * FROM orders INDEXED BY open_orders WHERE state = 'open';
SELECT * FROM orders NOT INDEXED;

CREATE VIEW IF NOT EXISTS revenue (sku, amount) AS
    SELECT sku, sum(amount) FROM order_lines GROUP BY sku;
CREATE TEMPORARY VIEW everyone AS VALUES ('Ada'), ('Grace');
SELECT * FROM revenue JOIN everyone;
DROP VIEW IF EXISTS revenue;
DROP INDEX open_orders;
DROP TABLE order_lines;
