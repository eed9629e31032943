"""The characters of names in patterns: Unicode 14.0.0, ID_Start and ID_Continue.

Made by ``python -m tools.identifier_table``, which says of what and under
which licence; not to be changed by hand.

Attributes:
    RUNS: hexadecimal, how many characters are left out before, how many there are, and
        whether they may begin a name (s) or only stand in it (c).
"""

RUNS = """
30:ac 7:1as 4:1c 1:1as 2f:1s a:1s 1:1c 2:1s 5:17s 1:1fs 1:1cas 4:cs e:5s 7:1s 1:1s 11:70c 0:5s 1:2s
2:4s 1:1s 6:1s 0:1c 0:3s 1:1s 1:14s 1:53s 1:8bs 1:5c 2:a6s 1:26s 2:1s 6:29s 8:2dc 1:1c 1:2c 1:2c
1:1c 8:1bs 4:4s 1d:bc 5:2bs 0:1fc 4:2s 0:1c 0:63s 1:1s 0:7c 2:6c 0:2s 0:2c 1:4c 0:2s 0:ac 0:3s 2:1s
10:1s 0:1c 0:1es 0:1bc 2:59s 0:bc 0:1s e:ac 0:21s 0:9c 0:2s 4:1s 2:1c 2:16s 0:4c 0:1s 0:9c 0:1s
0:3c 0:1s 0:5c 12:19s 0:3c 4:bs 5:18s 1:6s 9:8c 0:2as 0:18c 1:21c 0:36s 0:3c 0:1s 0:12c 0:1s 0:7c
0:as 0:2c 2:ac 1:10s 0:3c 1:8s 2:2s 2:16s 1:7s 1:1s 3:4s 2:1c 0:1s 0:7c 2:2c 2:3c 0:1s 8:1c 4:2s
1:3s 0:2c 2:ac 0:2s a:1s 1:1c 2:3c 1:6s 4:2s 2:16s 1:7s 1:2s 1:2s 1:2s 2:1c 1:5c 4:2c 2:3c 3:1c
7:4s 1:1s 7:cc 0:3s 0:1c b:3c 1:9s 1:3s 1:16s 1:7s 1:2s 1:5s 2:1c 0:1s 0:8c 1:3c 1:3c 2:1s f:2s
0:2c 2:ac 9:1s 0:6c 1:3c 1:8s 2:2s 2:16s 1:7s 1:2s 1:5s 2:1c 0:1s 0:7c 2:2c 2:3c 7:3c 4:2s 1:3s
0:2c 2:ac 1:1s 10:1c 0:1s 1:6s 3:3s 1:4s 3:2s 1:1s 1:2s 3:2s 3:3s 3:cs 4:5c 3:3c 1:4c 2:1s 6:1c
e:ac 10:5c 0:8s 1:3s 1:17s 1:10s 2:1c 0:1s 0:7c 1:3c 1:4c 7:2c 1:3s 2:1s 2:2s 0:2c 2:ac 10:1s 0:3c
1:8s 1:3s 1:17s 1:as 1:5s 2:1c 0:1s 0:7c 1:3c 1:4c 7:2c 6:2s 1:2s 0:2c 2:ac 1:2s d:4c 0:9s 1:3s
1:29s 0:2c 0:1s 0:7c 1:3c 1:4c 0:1s 5:3s 0:1c 7:3s 0:2c 2:ac a:6s 1:3c 1:12s 3:18s 1:9s 1:1s 2:7s
3:1c 4:6c 1:1c 1:8c 6:ac 2:2c d:30s 0:1c 0:2s 0:7c 5:7s 0:8c 1:ac 27:2s 1:1s 1:5s 1:18s 1:1s 1:as
0:1c 0:2s 0:9c 0:1s 2:5s 1:1s 1:6c 2:ac 2:4s 20:1s 17:2c 6:ac b:1c 1:1c 1:1c 4:2c 0:8s 1:24s 4:14c
1:2c 0:5s 0:bc 1:24c 9:1c 39:2bs 0:14c 0:1s 0:ac 6:6s 0:4c 0:4s 0:3c 0:1s 0:3c 0:2s 0:7c 0:3s 0:4c
0:ds 0:cc 0:1s 0:fc 2:26s 1:1s 5:1s 2:2bs 1:14ds 1:4s 2:7s 1:1s 1:4s 2:29s 1:4s 2:21s 1:4s 2:7s
1:1s 1:4s 2:fs 1:39s 1:4s 2:43s 2:3c 9:9c e:10s 10:56s 2:6s 3:26cs 2:11s 1:1as 5:4bs 3:bs 7:12s
0:4c 9:13s 0:3c b:12s 0:2c c:ds 1:3s 1:2c c:34s 0:20c 3:1s 4:1s 0:1c 2:ac 21:3c 1:bc 6:59s 7:29s
0:1c 0:1s 5:46s a:1fs 1:cc 4:cc a:ac 0:1es 2:5s b:2cs 4:1as 6:bc 25:17s 0:5c 4:35s 0:ac 1:1dc 2:bc
6:ac d:1s 8:ec 1:10c 31:5c 0:2fs 0:11c 0:8s 3:ac 11:9c c:3c 0:1es 0:dc 0:2s 0:ac 0:2cs 0:ec c:24s
0:14c 8:ac 3:3s 0:ac 0:24s 2:9s 7:2bs 2:3s 10:3c 1:15c 0:4s 0:1c 0:6s 0:1c 0:2s 0:3c 0:1s 5:c0s
0:40c 0:116s 2:6s 2:26s 2:6s 2:8s 1:1s 1:1s 1:1s 1:1fs 2:35s 1:7s 1:1s 3:3s 1:7s 3:4s 2:6s 4:ds
5:3s 1:7s 42:2c 13:1c 1c:1s d:1s 10:ds 33:dc 4:1c 3:cc 11:1s 4:1s 2:as 1:1s 2:6s 6:1s 1:1s 1:1s
1:10s 2:4s 5:5s 4:1s 11:29s a77:e5s 6:4s 0:3c 0:2s c:26s 1:1s 5:1s 2:38s 7:1s f:1c 0:17s 9:7s 1:7s
1:7s 1:7s 1:7s 1:7s 1:7s 1:7s 1:20c 205:3s 19:9s 0:6c 1:5s 2:5s 4:56s 2:2c 0:5s 1:5as 1:4s 5:2bs
1:5es 11:20s 30:10s 200:19c0s 40:568ds 43:2es 2:10ds 3:10s 0:ac 0:2s 14:2fs 0:1c 4:ac 1:1fs 0:2c
0:50s 0:2c 25:9s 2:67s 2:40s 5:2s 1:1s 1:5s 18:10s 0:1c 0:3s 0:1c 0:4s 0:1c 0:17s 0:5c 4:1c 13:34s
c:2c 0:32s 0:12c a:ac 6:12c 0:6s 3:1s 1:2s 0:bc 0:1cs 0:8c 2:17s 0:dc c:1ds 3:4c 0:2fs 0:ec e:1s
0:ac 6:5s 0:1c 0:as 0:ac 0:5s 1:29s 0:ec 9:3s 0:1c 0:8s 0:2c 2:ac 6:17s 3:1s 0:3c 0:32s 0:1c 0:1s
0:3c 0:2s 0:2c 0:5s 0:2c 0:1s 0:1c 0:1s 18:3s 2:bs 0:5c 2:3s 0:2c a:6s 2:6s 2:6s 9:7s 1:7s 1:2bs
1:es 6:73s 0:8c 1:2c 2:ac 6:2ba4s c:17s 4:31s 2104:16es 2:6as 26:7s c:5s 5:1s 0:1c 0:as 1:ds 1:5s
1:1s 1:2s 1:2s 1:6cs 21:16bs 12:40s 2:36s 28:cs 4:10c 10:10c 3:2c 18:3c 20:5s 1:87s 13:ac 7:1as
4:1c 1:1as b:59s 3:6s 2:6s 2:6s 2:3s 23:cs 1:1as 1:13s 1:2s 1:fs 2:es 22:7bs 45:35s 88:1c 82:1ds
3:31s f:1c 1f:20s d:1es 5:26s 0:5c 5:1es 2:24s 4:8s 1:5s 2a:9es 2:ac 6:24s 4:24s 4:28s 8:34s c:bs
1:fs 1:7s 1:2s 1:bs 1:fs 1:7s 1:2s 43:137s 9:16s a:8s 18:6s 1:2as 1:9s 45:6s 2:1s 1:2cs 1:2s 3:1s
2:17s a:17s 9:1fs 41:13s 1:2s a:16s a:1as 46:38s 6:2s 40:1s 0:3c 1:2c 5:4c 0:4s 1:3s 1:1ds 2:3c
4:1c 20:1ds 3:1ds 23:8s 1:1cs 0:2c 19:36s a:16s a:13s d:12s 6e:49s 37:33s d:33s d:24s 0:4c 8:ac
146:2as 1:2c 3:2s 4e:1ds a:1s 8:16s 0:bc 1f:12s 0:4c 2a:15s 1b:17s 9:3c 0:35s 0:fc 1f:bc 0:2s 0:2c
0:1s 9:4c 0:2ds 0:bc 7:1c d:19s 7:ac 6:3c 0:24s 0:ec 1:ac 4:1s 0:2c 0:1s 8:23s 0:1c 2:1s 9:3c 0:30s
0:ec 0:4s 4:4c 1:cc 0:1s 1:1s 23:12s 1:19s 0:cc 6:1c 41:7s 1:1s 1:4s 1:fs 1:as 7:2fs 0:cc 5:ac 6:4c
1:8s 2:2s 2:16s 1:7s 1:2s 1:5s 1:2c 0:1s 0:7c 2:2c 2:3c 2:1s 6:1c 5:5s 0:2c 2:7c 3:5c 8b:35s 0:12c
0:4s 5:ac 4:1c 0:3s 1e:30s 0:14c 0:2s 1:1s 8:ac a6:2fs 0:7c 2:9c 17:4s 0:2c 22:30s 0:11c 3:1s b:ac
26:2bs 0:dc 0:1s 7:ac 36:1bs 2:fc 4:ac 6:7s b9:2cs 0:fc 65:40s 0:ac 15:8s 2:1s 2:8s 1:2s 1:18s 0:6c
1:2c 2:4c 0:1s 0:1c 0:1s 0:2c c:ac 46:8s 2:27s 0:7c 2:7c 0:1s 1:1s 0:1c 1b:1s 0:ac 0:28s 0:7c 0:1s
0:4c 8:1c 8:1s 0:bc 0:2es 0:10c 3:1s 12:49s 107:9s 1:25s 0:8c 1:8c 0:1s f:ac 18:1es 2:16c 1:ec
49:7s 1:2s 1:26s 0:6c 3:1c 1:2c 1:7c 0:1s 0:1c 8:ac 6:6s 1:2s 1:20s 0:5c 1:2c 1:5c 0:1s 7:ac
136:13s 0:4c b9:1s 4f:39as 66:6fs 11:c4s a4c:61s f:42fs fd1:247s 21b9:239s 7:1fs 1:ac 6:4fs 1:ac
6:1es 2:5c b:30s 0:7c 9:4s c:ac 9:15s 5:13s 2b0:40s 80:4bs 4:1c 0:1s 0:37c 7:4c 0:ds 40:2s 1:1s
0:1c b:2c e:17f8s 8:4d6s 2a:9s 22e7:4s 1:7s 1:2s 1:123s 2d:3s 11:4s 8:18cs 904:6bs 5:ds 3:9s 7:as
3:2c 1261:2ec 2:17c 21e:5c 3:6c 8:8c 2:7c 1e:4c 94:3c 1bb:55s 1:47s 1:2s 2:1s 2:2s 2:4s 1:cs 1:1s
1:7s 1:41s 1:4s 2:8s 1:7s 1:1cs 1:4s 1:5s 1:1s 3:7s 1:154s 2:19s 1:19s 1:1fs 1:19s 1:1fs 1:19s
1:1fs 1:19s 1:1fs 1:19s 1:8s 2:32c 200:37c 4:32c 8:1c e:1c 16:5c 1:fc 450:1fs e1:7c 1:11c 2:7c 1:2c
1:5c d5:2ds 3:7c 0:7s 2:ac 4:1s 141:1es 0:1c 11:2cs 0:ec 4e6:7s 1:4s 1:2s 1:fs 1:c5s b:7c 29:44s
0:7c 0:1s 4:ac 4a6:4s 1:1bs 1:2s 1:1s 2:1s 1:as 1:4s 1:1s 1:1s 6:1s 4:1s 1:1s 1:1s 1:3s 1:2s 1:1s
2:1s 1:1s 1:1s 1:1s 1:1s 1:2s 1:1s 2:4s 1:7s 1:4s 1:4s 1:1s 1:as 1:11s 5:3s 1:5s 1:11s d34:ac
406:a6e0s 20:1039s 7:des 2:1682s e:1d31s c1f:21es 5e2:134bs aedb5:f0c
"""
