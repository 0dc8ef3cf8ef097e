set encoding utf8
set terminal svg noenhanced dynamic name 'iobench' size 720,480 font 'sans-serif,14' background '#ffffff'
set output 'x.out'
set title 'sequential reads, 1 job'
set ylabel 'IOPS (higher is better)'
set key below height 1 Left reverse
set border 3
set tics nomirror out
set yrange [0:*]
set pointintervalbox 0
set grid y lc rgb '#A0A0A0' lw 0.4 dt 1
set rmargin 6
set xtics nomirror ('11-28 02:00' 1795831200, '11-29 02:00' 1795917600, '11-30 02:00' 1796004000, '12-01 02:00' 1796090400)
set xrange [1795818240:1796103360]
set datafile missing 'NaN'
plot 'x.dat' index 0 using 1:2:3:4 with yerrorbars lc rgb '#0072B2' lw 1.2 dt 1 pt 0 notitle, \
     '' index 0 using 1:2 with linespoints lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 1 title 'none', \
     '' index 1 using 1:2:3:4 with yerrorbars lc rgb '#E69F00' lw 1.2 dt 1 pt 0 notitle, \
     '' index 1 using 1:2 with linespoints lc rgb '#E69F00' lw 2 dt 2 pt 4 ps 1 title 'bfq', \
     keyentry with yerrorbars lc rgb '#7F7F7F' pt 0 title 'mean, bars: stddev over 10 runs'
# data:
# none: x, y, low, high
1795831200 100 99 101
1795917600 101 99.99 102.01
1796004000 102 100.98 103.02
1796090400 103 101.97 104.03


# bfq: x, y, low, high
1795831200 110 108.9 111.1
1796004000 112 110.88 113.12
1796090400 113 111.87 114.13
